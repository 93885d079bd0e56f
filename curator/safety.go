package curator

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"agentlore/lore"
)

// SafetyRules say when agentlore itself raises a flag. A flag never refuses a report: it stays readable, is kept out of
// promotion, and an operator decides.
type SafetyRules struct {
	// InjectionFrom is the weight of signs from which a text is taken to instruct its reader. A sign that has no honest use
	// weighs 1, one that honest reports may have less.
	InjectionFrom float64 `json:"injection_from"`
	// InjectionHigh is the weight from which that is of high severity.
	InjectionHigh float64 `json:"injection_high"`
	// LeakSubmissions is how many submissions with a secret within LeakDays make a source one that leaks again and again.
	LeakSubmissions int `json:"leak_submissions"`
	LeakDays        int `json:"leak_days"`
	// LeakKinds are the kinds of secrets that count: those that hardly anything else looks like. A hash in 0x form looks
	// like an Ethereum key, an e-mail address is nobody's key.
	LeakKinds []string `json:"leak_kinds"`
}

// defaultSafetyRules: measured on 62,301 real reports, of which signs take 1 in some thousands for an injection
// (docs/figures.md); the rest is our judgement.
func defaultSafetyRules() SafetyRules {
	return SafetyRules{
		InjectionFrom: 1, InjectionHigh: 2,
		LeakSubmissions: 3, LeakDays: 30, // once is a slip, twice a lesson, three times a habit
		LeakKinds: []string{
			"bip39", "pem", "solana_keypair", "provider_key", "wif", "xprv", "nsec", "sui_key", "age_key", "stellar_seed", "service_token",
			"rpc_url", "url_password", "auth_header",
		},
	}
}

func (r SafetyRules) check() error {
	return errors.Join(
		inRange("safety.injection_from", r.InjectionFrom, 0.1, 100), inRange("safety.injection_high", r.InjectionHigh, r.InjectionFrom, 100),
		inRange("safety.leak_submissions", float64(r.LeakSubmissions), 1, 1000), inRange("safety.leak_days", float64(r.LeakDays), 1, 365),
	)
}

// LeakWindow is how far back a source's leaks count.
func (r SafetyRules) LeakWindow() time.Duration { return time.Duration(r.LeakDays) * 24 * time.Hour }

// Finding is a reason to warn of an item. Its note names what was found and never repeats it: readers of flags must not
// meet the instruction there.
type Finding struct {
	Reason   lore.FlagReason `json:"reason" enum:"injection,leak,malicious_address,incorrect,stale,duplicate,spam" doc:"What is wrong with it"`
	Severity lore.Severity   `json:"severity" enum:"low,medium,high,critical" doc:"How much harm it can do"`
	Note     string          `json:"note" doc:"What was found"`
}

// Flag returns the flag that agentlore raises for a finding. Its id follows from item, words and reason: agentlore flags the same words
// for one reason once, and a dismissed flag isn't raised again.
func (f Finding) Flag(target lore.Target, words lore.Words, now time.Time) lore.SafetyFlag {
	return f.Warning(target, words).SafetyFlag(lore.RaisedByAgentlore, now)
}

// Warning returns what the flag on words of a target says.
func (f Finding) Warning(target lore.Target, words lore.Words) lore.Warning {
	return lore.Warning{
		Item: lore.Item{Target: &target}, Reason: f.Reason, Severity: f.Severity, Note: f.Note, Revision: words.Revision, FixKey: words.FixKey,
	}
}

// Inspect returns why a scrubbed report is to be flagged, most severe first; nothing for nearly all. Malicious may be nil.
func (r SafetyRules) Inspect(o lore.Observation, malicious AddressList) []Finding {
	var findings []Finding
	texts := append([]string{o.Summary, o.Content, o.Resolution}, o.Tags...)
	if finding, found := r.injection(texts...); found {
		findings = append(findings, finding)
	}
	if finding, found := malicious.inspect(o, texts); found {
		findings = append(findings, finding)
	}
	slices.SortStableFunc(findings, func(a, b Finding) int { return severityRank(b.Severity) - severityRank(a.Severity) })
	return findings
}

// LeaksAgain returns the finding on a source of whose submissions so many held secrets of LeakKinds within LeakWindow.
func (r SafetyRules) LeaksAgain(submissions int) (Finding, bool) {
	if submissions < r.LeakSubmissions {
		return Finding{}, false
	}
	return Finding{
		Reason: lore.FlagLeak, Severity: lore.SeverityMedium,
		Note: fmt.Sprintf("%d submissions of %d days held secrets, which were removed: its operator should rotate them and look at what it sends",
			submissions, r.LeakDays),
	}, true
}

func severityRank(severity lore.Severity) int {
	return slices.Index([]lore.Severity{lore.SeverityLow, lore.SeverityMedium, lore.SeverityHigh, lore.SeverityCritical}, severity)
}

// AddressList holds known malicious addresses, in the form that lore.Entities gives them, each with what is known of it.
type AddressList map[string]string

// ReadAddressList reads one address a line; what follows it on its line is a remark, and lines that begin with # are.
// A line whose first word is no address that we know is an error that names its number.
func ReadAddressList(file io.Reader) (AddressList, error) {
	list := AddressList{}
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		word, remark, _ := strings.Cut(line, " ")
		found := lore.Entities(word)
		if len(found) != 1 {
			return nil, fmt.Errorf("address list: line %d begins with no address", number)
		}
		list[found[0]] = strings.TrimSpace(strings.TrimLeft(remark, " #\t"))
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("address list: %w", err)
	}
	return list, nil
}

// inspect looks for listed addresses. A report on security is likely to warn of one; any other is likely to use it.
func (l AddressList) inspect(o lore.Observation, texts []string) (Finding, bool) {
	if len(l) == 0 {
		return Finding{}, false
	}
	count := 0
	for _, entity := range lore.Entities(texts...) {
		if _, listed := l[entity]; listed {
			count++
		}
	}
	if count == 0 {
		return Finding{}, false
	}
	finding := Finding{Reason: lore.FlagMaliciousAddress, Severity: lore.SeverityHigh, Note: "names an address that is known as malicious"}
	if count > 1 {
		finding.Note = fmt.Sprintf("names %d addresses that are known as malicious", count)
	}
	if o.Category == lore.CategorySecurity {
		finding.Severity = lore.SeverityLow
		finding.Note += "; it may well warn of it"
	}
	return finding, true
}
