package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"agentlore/enginetest"
)

// oddities are observations whose words are hard to search for.
var oddities = []string{
	"Cross-chain re-entrancy guard is missing",
	"Selector 0xa9059cbb is refused by the token",
	"web3.eth.getBalance returns a string",
	"MessageHashUtils::toTypedDataHash panics on short input",
	"Fees on eip155:42161 are underestimated",
	"CVE-2023-34459 lets a multiproof pass",
	"Deploy fails 🚀 when gas price spikes",
	"合约存在重入攻击漏洞",
	"Trailing `\\` in C:\\contracts\\Vault.sol breaks the import",
	"Überweisung nach Zürich schlägt fehl",
	"La transacción está pendiente",
	"This is what it was and that is how it is",
}

// searchFor searches over HTTP for whatever text.
func (s *service) searchFor(t testing.TB, q string, parameters ...string) page {
	t.Helper()
	path := "/search/all?q=" + url.QueryEscape(q)
	for _, parameter := range parameters {
		path += "&" + parameter
	}
	return decode[page](t, s.get(t, path).want(t, 200))
}

// summaries returns the summaries of a page, in order.
func (p page) summaries() []string {
	list := make([]string, 0, len(p.Results))
	for _, result := range p.Results {
		list = append(list, fmt.Sprint(result["summary"]))
	}
	return list
}

// Any text is a valid q: it finds what it says, or nothing, and never fails.
func TestAnyTextIsAQuery(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	me := s.register(t, "writes-oddly")
	for _, summary := range oddities {
		s.submit(t, me, observation(summary))
	}
	inTime(t, "everything is found", func() bool { return len(s.searchFor(t, "", "limit=50").Results) == len(oddities) })

	for _, test := range []struct{ q, first string }{ // first is the beginning of the first result
		{"cross-chain", "Cross-chain"}, {"--cross--chain--", "Cross-chain"}, {"re-entrancy", "Cross-chain"}, {"crosschain-guard", "Cross-chain"},
		{"0xa9059cbb", "Selector"}, {"0xA9059CBB", "Selector"}, {"(0xa9059cbb)", "Selector"}, {"why is `0xa9059cbb` refused?", "Selector"},
		{"web3.eth.getBalance", "web3.eth"}, {"web3.eth.getBalance()", "web3.eth"}, {"eth.getBalance", "web3.eth"}, {"getBalance", "web3.eth"},
		{"get balance", "web3.eth"}, {"...getBalance...", "web3.eth"},
		{"MessageHashUtils::toTypedDataHash", "MessageHashUtils"}, {"::toTypedDataHash", "MessageHashUtils"}, {"MessageHashUtils::", "MessageHashUtils"},
		{"MessageHashUtils.toTypedDataHash", "MessageHashUtils"}, {"typed data hash", "MessageHashUtils"},
		{"eip155:42161", "Fees"}, {"chain eip155:42161?", "Fees"}, {"eip155:", "Fees"},
		{"CVE-2023-34459", "CVE"}, {"cve-2023-34459", "CVE"}, {"[CVE-2023-34459]:", "CVE"}, {"CVE 2023 34459", "CVE"},
		{"🚀", "Deploy"}, {"🚀🚀🚀", "Deploy"}, {"deploy🚀", "Deploy"},
		{"重入攻击", "合约"}, {"漏洞", "合约"}, {"「重入攻击」", "合约"}, {"合约 漏洞", "合约"},
		{`"gas price"`, "Deploy"}, {`"gas price`, "Deploy"}, {"'gas price'", "Deploy"}, {"“gas price”", "Deploy"}, {"gas's price", "Deploy"},
		{`C:\contracts\Vault.sol`, "Trailing"}, {`Vault.sol\`, "Trailing"}, {`\\Vault.sol`, "Trailing"},
		{"*gas*", "Deploy"}, {"gas* price?", "Deploy"}, {"gas~2 price^10", "Deploy"}, {"+gas -price", "Deploy"}, {"/gas/", "Deploy"},
		{"summary:gas", "Deploy"}, {"gas && price || !deploy", "Deploy"}, {"(gas", "Deploy"}, {"gas]}", "Deploy"}, {"<b>gas</b>", "Deploy"},
		{"gas AND price", "Deploy"}, {"NOT gas", "Deploy"}, {"gas OR nothingelse", "Deploy"}, {"AND gas OR", "Deploy"},
		{"ÜBERWEISUNG ZÜRICH", "Überweisung"}, {"uberweisung zurich", "Überweisung"}, {"Zu\u0308rich", "Überweisung"},
		{"transaccion pendiente", "La transacción"}, {"transacción", "La transacción"},
		{"the of and is", "This is"}, {"is it what it is", "This is"},
		{"gas\u0000price", "Deploy"}, {"gas\tprice\n", "Deploy"}, {"\ufeffgas price", "Deploy"}, {"gas\u00a0price", "Deploy"},
		{"\u202egas price\u202c", "Deploy"}, {"gas\u200b price", "Deploy"}, {"gas price \U000e0001", "Deploy"}, {"ｇａｓ price", "Deploy"},
		{strings.Repeat("gas ", 128), "Deploy"}, {strings.Repeat("gas.", 127) + "gas", "Deploy"},
		{strings.Repeat("x", 508) + " gas", "Deploy"}, {strings.Repeat("重入", 255) + "攻击", "合约"},
	} {
		got := s.searchFor(t, test.q).summaries()
		if len(got) == 0 || !strings.HasPrefix(got[0], test.first) {
			t.Errorf("q %.80q finds %.200q, want %s first", test.q, got, test.first)
		}
	}

	for _, q := range []string{
		"*", "?", "**", "~", "^", "-", "--", "+", "!", "&&", "||", "/", "//", `\`, `\\`, `"`, `""`, "'", "()", "[]", "{}", "::", ":", ".", "...",
		"@", "#", "$", "%", "%%", "<>", "🦄", "👩‍👩‍👧‍👦", "。", "、", "«»", "0x", "0xa9059cbc", "0x" + strings.Repeat("a", 40), "zzqqxx",
		"再", "한국어", "ไทย", "עברית", "العربية", "\u0000", "\u200b\u200b", "\ufeff", "\u202e", "\ue000", "\ue000\ue000 \ue000",
		strings.Repeat("z", 512), strings.Repeat("🦄", 512), strings.Repeat(`"`, 512), strings.Repeat(`\`, 512), strings.Repeat("(", 512),
		strings.Repeat("zq", 256), strings.Repeat("%", 512), "1.2.3.4", "2001:db8::1", "a\u0301\u0301\u0301\u0301",
		"[1 TO 2]", "{\"match_all\":{}}", "_exists_:_id",
	} {
		if got := s.searchFor(t, q); len(got.Results) != 0 || got.Total != 0 {
			t.Errorf("q %.80q finds %.200q, want nothing", q, got.summaries())
		}
	}

	for _, q := range []string{"", " ", "\t\n", "\u00a0", "\u3000"} { // nothing asked for: the newest
		if got := s.searchFor(t, q).summaries(); len(got) == 0 || got[0] != oddities[len(oddities)-1] {
			t.Errorf("q %q finds %q, want the newest", q, got)
		}
	}

	// What other clients make of spaces, and bytes that are no text at all.
	if got := decode[page](t, s.get(t, "/search/all?q=gas+price").want(t, 200)).summaries(); len(got) == 0 {
		t.Error("a plus isn't read as a space")
	}
	for _, raw := range []string{"%ff%fe", "gas%ff", "%ed%a0%80", "%c3%28", "%00", "%c0%af"} {
		if got := s.get(t, "/search/all?q="+raw); got.status != 200 || !utf8.Valid(got.body) {
			t.Errorf("q=%s: status %d: %.200q", raw, got.status, got.body)
		}
	}
	wantProblem(t, s.get(t, "/search/all?q="+strings.Repeat("z", 513)), 422, "invalid_field", "q")

	// Filters, facets and explanations work with whatever q as well.
	for _, q := range []string{"*", "合约", "🚀 gas", "AND", "0xa9059cbb gsa prcie", `\"`, strings.Repeat("gsa ", 128)} {
		s.searchFor(t, q, "facets=true", "explain=true", "detail=full", "category=failure", "tier=1", "type=submission")
		s.searchFor(t, q, "sort=newest", "facets=true", "explain=true")
	}
}

// FuzzQuery sends any text as q to a real engine: it is answered, and what it answers is text.
func FuzzQuery(f *testing.F) {
	for _, q := range append(slices.Clone(oddities),
		"", "*", `"`, `\`, "::", "a.b.c", "x_y", "gsa prcie", "reentran", "AND OR NOT", "eip155:1", "CVE-2023-1", "é", "重入", "👩‍👩‍👧", "\x00", "\xff",
		"İstanbul ß ǆ", "don't can't", "getBalance latestRoundData", "\ue000", strings.Repeat("ab", 200),
	) {
		f.Add(q, uint8(0))
	}
	f.Add("gas price", uint8(255))
	s := fuzzedService(f) // beforehand: Go's fuzzer takes an input that lasts 10 s for a hang
	f.Fuzz(func(t *testing.T, q string, how uint8) {
		if len(q) > 4*512 {
			return
		}
		parameters := url.Values{"q": {q}}
		for i, pair := range [][2]string{
			{"facets", "true"}, {"explain", "true"}, {"detail", "full"}, {"sort", "newest"}, {"offset", "3"}, {"type", "submission"}, {"limit", "1"}, {"category", "failure"},
		} {
			if how>>i&1 == 1 {
				parameters.Set(pair[0], pair[1])
			}
		}
		got := s.get(t, "/search/all?"+parameters.Encode())
		if utf8.RuneCountInString(q) > 512 {
			got.want(t, 422)
			return
		}
		found := decode[page](t, got.want(t, 200))
		if !utf8.Valid(got.body) || strings.ContainsRune(string(got.body), utf8.RuneError) && utf8.ValidString(q) && !strings.ContainsRune(q, utf8.RuneError) {
			t.Errorf("a character is cut in %q", got.body)
		}
		if found.TotalRelation == "eq" && int64(len(found.Results)) > found.Total {
			t.Errorf("%d results of %d", len(found.Results), found.Total)
		}
	})
}

// oddlyFilled is done when the shared service has something to find.
var oddlyFilled sync.Once

// fuzzedService is the shared service with something to find.
func fuzzedService(t testing.TB) *service {
	s := sharedService(t)
	oddlyFilled.Do(func() {
		me := s.register(t, "fuzzes "+s.prefix)
		for _, summary := range oddities {
			s.submit(t, me, map[string]any{"summary": summary, "category": "failure", "content": strings.Join(oddities, "\n")})
		}
		enginetest.Eventually(t, "what was submitted is found", func() bool { return len(s.searchFor(t, "multiproof").Results) > 0 })
	})
	return s
}

// What an audit's judges called invalid is imported with that, shows it, and stands behind what holds, however well it fits.
func TestInvalidReportsStandBehind(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	s := serve(t, prefix)
	file := filepath.Join(t.TempDir(), "reports")
	lines := `{"source":"warden-a","summary":"Quokka vault lets the first depositor steal shares","content":"Quokka vault shares: the first depositor steals.","tags":["vault"],"invalid":true,"ref":"a"}
{"source":"warden-b","summary":"Quokka vault steals shares of the first depositor","tags":["Invalid","vault"],"ref":"b"}
{"source":"warden-c","summary":"Shares of a quokka are rounded","content":"In a long text of other words, on other matters, a vault is named once.","ref":"c"}
`
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, stdout, stderr := run(t, append([]string{"import", "--collection", "submissions", file}, storeFlags(t, prefix)...)...); status != 0 {
		t.Fatalf("import: %s%s", stdout, stderr)
	}
	enginetest.Elasticsearch(t, "POST", "/"+prefix+"-submissions/_refresh", "")
	for _, path := range []string{"/search/all?q=quokka+vault+first+depositor+steals+shares", "/search/all?q=quokka+vault+first+depositor+steals+shares&sort=relevance"} {
		found := decode[page](t, s.get(t, path)).Results
		if len(found) != 3 || found[0]["ref"] != "c" {
			t.Fatalf("%s finds %v, want the valid report first", path, found)
		}
		for _, hit := range found[1:] {
			if tags := hit["tags"].([]any); tags[0] != "invalid" {
				t.Errorf("an invalid report is shown with the tags %v", tags)
			}
		}
	}
	if shown := s.get(t, "/submissions?tag=invalid"); decode[page](t, shown).Total != 2 {
		t.Errorf("the invalid ones: %s", shown.body)
	}
}
