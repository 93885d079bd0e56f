package scrubber

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// dataFile opens a file of the shared data, or skips the test where there is none.
func dataFile(t testing.TB, name string) *bufio.Scanner {
	t.Helper()
	root := os.Getenv("AGENTLORE_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "shared", "data")
	}
	f, err := os.Open(filepath.Join(root, name))
	if err != nil {
		t.Skip("no shared data: set AGENTLORE_DATA")
	}
	t.Cleanup(func() { f.Close() })
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 8<<20)
	return lines
}

func rows[T any](t testing.TB, name string) []T {
	t.Helper()
	var all []T
	for lines := dataFile(t, name); lines.Scan(); {
		var row T
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	return all
}

// noSecret are labels of the collected secrets whose marked part is no secret: a public host or account name,
// or the name of a variable.
var noSecret = map[string]string{
	"gitleaks:artifactory-jfrog-url":                "a host name",
	"gitleaks:snowflake-account-host.1":             "a host name",
	"gitleaks:salesforce-instance-url.1":            "a host name",
	"gitleaks:supabase-project-url":                 "a host name",
	"gitleaks:cloudinary-cloud-name":                "an account name",
	"gitleaks:canva-client-id":                      "a public client id",
	"gitleaks:tableau-personal-access-token-name.1": "the name of a token",
	"detect-secrets:npm":                            "the host in front of the token; the token itself goes",
	"gitleaks:sonar-api-token":                      "the name of the variable is marked; its value goes",
}

func TestCollectedSecretsAreRemoved(t *testing.T) {
	s := newScrubber(t)
	kept, total := 0, 0
	for _, row := range rows[struct {
		Text    string
		Secrets []string
		Kind    string
	}](t, "secrets/secrets.jsonl.gz") {
		out, _ := s.text(row.Text)
		for _, secret := range row.Secrets {
			total++
			if strings.Contains(out, secret) {
				if noSecret[row.Kind] != "" {
					kept++
					continue
				}
				t.Errorf("%s left in\n %q", row.Kind, clip(out))
			}
		}
	}
	t.Logf("%d marked parts, %d of them no secret and kept", total, kept)
}

func clip(s string) string {
	if len(s) > 220 {
		return s[:220] + "..."
	}
	return s
}

func TestCleanTextComesBack(t *testing.T) {
	s := newScrubber(t)
	size, alarms, traps, keys := 0, 0, 0, 0
	for _, row := range rows[struct {
		Text    string
		Traps   []string
		Bounded []string `json:"bounded_match"`
	}](t, "secrets/clean.jsonl.gz") {
		size += len(row.Text)
		out, hits := s.text(row.Text)
		if out == row.Text || len(row.Bounded) > 0 {
			continue
		}
		// Other scanners' false alarms are strings of a key's form in the wrong place; many are keys of another rule.
		if slices.ContainsFunc(row.Traps, func(trap string) bool {
			return strings.HasPrefix(trap, "gitleaks-false-positive") || strings.HasPrefix(trap, "detect-secrets-negative")
		}) {
			traps++
			continue
		}
		if slices.ContainsFunc(hits, func(h span) bool { return h.kind == KindRPCURL }) {
			keys++ // a real key stands in the node provider's URL
			continue
		}
		alarms++
		t.Errorf("%v %v\n  %q\n  %q", row.Traps, hits, clip(row.Text), clip(out))
	}
	t.Logf("%d bytes: %d false alarms, %d node keys, %d hits on other scanners' traps", size, alarms, keys, traps)
	if keys > 1 {
		t.Errorf("%d node keys, one is known", keys)
	}
}

func TestAmbiguousTextFollowsThePatterns(t *testing.T) {
	s := newScrubber(t)
	for _, row := range rows[struct {
		Text  string
		Match []string
	}](t, "secrets/ambiguous.jsonl.gz") {
		out, _ := s.text(row.Text)
		for _, m := range row.Match {
			i := strings.Index(row.Text, m)
			inside := i > 0 && is(row.Text[i-1], clsAlnum) || i+len(m) < len(row.Text) && is(row.Text[i+len(m)], clsAlnum)
			digits, key := strings.CutPrefix(m, "0x")
			if key && noKey(digits) {
				continue
			}
			if strings.Contains(out, m) && !inside { // a part of a longer word is no standalone match
				t.Errorf("kept: %q", clip(out))
			}
		}
	}
}
