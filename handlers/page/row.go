package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"agentlore/lore"
)

// row is an item in a list, of whatever type.
type row struct {
	Href, Kind, One string
	Title           []span
	Snippet         []span
	Category        lore.Category
	Ecosystem, Tags []string
	Tier            lore.Tier
	Confidence      *float64
	Status          string
	Warnings        []lore.ItemWarning
	Notes           []string // what else its type says, in words
	CreatedAt       time.Time
}

// named is a number with its name.
type named struct {
	Name  string
	Value float64
}

// hitRow shows a search result.
func hitRow(hit lore.SearchHit) row {
	c := collectionOf(string(hit.Type))
	r := row{
		Href: c.href(hit.ID), Kind: c.Kind, One: c.One, Category: hit.Category, Ecosystem: hit.Ecosystem, Tags: hit.Tags, Tier: hit.Tier,
		Confidence: hit.Confidence, Status: warningStatus(hit.Status), Warnings: hit.Warnings, CreatedAt: hit.CreatedAt,
	}
	r.Snippet = snippetSpans(hit.Snippet)
	if r.Title = inline(hit.Summary); len(r.Title) == 0 {
		r.Title = untitled
	}
	r.Status = cmp.Or(r.Status, judged(hit.Tags))
	if hit.Reference != nil {
		r.Notes = append(r.Notes, fromLibrary)
	}
	if slices.Contains(hit.MatchedBy, "exact") {
		r.Notes = append(r.Notes, "exact match")
	}
	return r
}

// fromLibrary is said of knowledge that nobody reported.
const fromLibrary = "reference library"

// untitled stands where an item has no line of its own.
var untitled = []span{{"", "(no summary)"}}

// sorted returns numbers, the largest first.
func sorted(numbers map[string]float64) []named {
	list := make([]named, 0, len(numbers))
	for name, value := range numbers {
		list = append(list, named{words(name), value})
	}
	slices.SortFunc(list, func(a, b named) int { return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Name, b.Name)) })
	return list
}

// warningStatus leaves out the states that say nothing a reader must know.
func warningStatus(status string) string {
	if status == "active" {
		return ""
	}
	return status
}

// judged returns invalid for a report that was called so.
func judged(tags []string) string {
	if slices.Contains(tags, lore.InvalidTag) {
		return lore.InvalidTag
	}
	return ""
}

// rowOf shows an item of a list.
func rowOf(value any) row {
	switch item := value.(type) {
	case lore.Submission:
		r := newRow("submission", item.ID, item.Summary, item.CreatedAt)
		r.Warnings = item.Warnings
		r.Category, r.Tier, r.Tags, r.Status = item.Category, item.Tier, item.Tags, cmp.Or(item.Status, judged(item.Tags))
		r.Ecosystem = listOf(item.Ecosystem)
		if item.Resolution != "" {
			r.Notes = append(r.Notes, "has a resolution")
		}
		if item.Outcomes != nil {
			r.Notes = append(r.Notes, outcomeNote(*item.Outcomes)...)
		}
		return r
	case lore.KnowledgeUnit:
		r := newRow("knowledge", item.ID, item.Summary, item.CreatedAt)
		r.Warnings = item.Warnings
		r.Category, r.Tier, r.Tags, r.Ecosystem, r.Status = item.Category, item.Tier, item.Tags, item.Ecosystem, warningStatus(string(item.Status))
		r.Confidence = &item.Confidence
		r.Notes = []string{plural(item.Evidence.Owners, "owner", "owners")}
		if item.Reference != nil {
			r.Notes = []string{fromLibrary}
		}
		r.Notes = append(r.Notes, outcomeNote(item.Outcomes)...)
		return r
	case lore.Pattern:
		r := newRow("pattern", item.ID, item.Summary, item.LastSeenAt)
		r.Warnings = item.Warnings
		r.Category, r.Tier, r.Tags, r.Ecosystem, r.Status = item.Category, item.Tier, item.Tags, item.Ecosystem, string(item.Status)
		r.Notes = []string{plural(item.Reports, "report", "reports"), plural(item.Owners, "owner", "owners")}
		return r
	case lore.Family:
		r := newRow("family", item.ID, item.Summary, item.LastSeenAt)
		r.Category, r.Ecosystem = item.Category, item.Ecosystem
		r.Notes = []string{plural(item.Reports, "report", "reports"), plural(item.Projects, "project", "projects"), plural(item.Owners, "owner", "owners")}
		return r
	case lore.Asset:
		r := newRow("asset", item.ID, item.Name, item.CreatedAt)
		r.Warnings = item.Warnings
		r.Tags, r.Ecosystem, r.Status = item.Tags, item.Ecosystem, warningStatus(string(item.Status))
		r.Notes, r.Snippet = []string{item.Type}, scrubbed("", lore.CutAtWord(item.Description, maxDescription))
		return r
	case lore.Source:
		r := newRow("source", item.ID, item.Name, item.CreatedAt)
		r.Ecosystem, r.Notes = item.Ecosystem, []string{string(item.Type), "reputation " + decimal(item.Reputation)}
		r.Snippet = scrubbed("", lore.CutAtWord(item.Description, maxDescription))
		if item.RevokedAt != nil {
			r.Status = "revoked"
		}
		return r
	case lore.Suggestion:
		r := newRow("suggestion", item.ID, item.Summary, item.CreatedAt)
		r.Status, r.Notes = string(item.Status), []string{string(item.Kind)}
		return r
	case lore.SafetyFlag:
		title := "Flagged " + claim(item.Reason) + ": " + collectionOf(string(item.Target.Collection)).One + " " + shortID(item.Target.ID)
		r := newRow("safety_flag", item.ID, title, item.CreatedAt)
		r.Notes = []string{string(item.Severity) + " severity"}
		r.Status, r.Snippet = string(item.Status), scrubbed("", lore.CutAtWord(item.Note, maxDescription))
		return r
	}
	return row{Title: untitled}
}

// maxDescription is how much of a description a list shows, in characters.
const maxDescription = 200

func newRow(kind, id, title string, at time.Time) row {
	c := collectionOf(kind)
	spans := inline(title)
	if len(spans) == 0 {
		spans = untitled
	}
	return row{Href: c.href(id), Kind: c.Kind, One: c.One, Title: spans, CreatedAt: at}
}

func outcomeNote(o lore.Outcomes) []string {
	var notes []string
	for _, part := range []struct {
		count int
		word  string
	}{{o.Worked, "worked"}, {o.Failed, "failed"}, {o.Unsafe, "unsafe"}} {
		if part.count > 0 {
			notes = append(notes, fmt.Sprintf("%s %s", number(part.count), part.word))
		}
	}
	return notes
}

func listOf(one string) []string {
	if one == "" {
		return nil
	}
	return []string{one}
}

// secretNames are the scrubber's kinds in words that say what was removed.
var secretNames = map[string]string{
	"ledger_seed": "XRPL seed", "ledger_key": "XRPL key", "eth_key": "private key or hash", "jwt": "JSON web token", "service_token": "agentlore token",
	"email": "e-mail address", "bip39": "seed phrase", "pem": "PEM private key", "solana_keypair": "Solana key pair", "provider_key": "provider's API key",
	"rpc_url": "key in an RPC address", "url_password": "password in an address", "auth_header": "authorization header",
	"contextual": "value called a secret", "wif": "Bitcoin private key", "xprv": "extended private key", "nsec": "Nostr private key", "sui_key": "Sui private key",
	"age_key": "age key", "stellar_seed": "Stellar seed", "unscannable": "text that could not be scanned",
}

// secretName says a kind of secret in words.
func secretName(kind string) string {
	if name := secretNames[kind]; name != "" {
		return name
	}
	return words(kind)
}

// removed says how many secrets of which kinds were removed, the commonest first.
func removed(counts map[string]int) string {
	kinds := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	for i, kind := range kinds {
		kinds[i] = number(counts[kind]) + " × " + secretName(kind)
	}
	return strings.Join(kinds, ", ")
}
