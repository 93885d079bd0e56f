package reference_test

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/sha3"

	"agentlore/lore"
	"agentlore/matcher"
	"agentlore/reference"
)

func entries(t *testing.T) []reference.Entry {
	t.Helper()
	all, err := reference.Entries()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Every entry has what an answer is made of, and no name leads to two entries with the same context.
func TestEntriesAreWhole(t *testing.T) {
	t.Parallel()
	all := entries(t)
	if len(all) < 800 {
		t.Errorf("%d entries, want 800 and more", len(all))
	}
	ids, names := map[string]bool{}, map[string][]reference.Entry{}
	for _, entry := range all {
		checkEntry(t, entry)
		if ids[entry.ID] {
			t.Errorf("two entries have the id %s", entry.ID)
		}
		ids[entry.ID] = true
		for _, name := range slices.Concat(entry.Names, entry.Shared) {
			key := matcher.NameKey(name)
			for _, other := range names[key] {
				if other.ID == entry.ID {
					continue
				}
				if !hasKey(entry.Shared, key) || !hasKey(other.Shared, key) {
					t.Errorf("%s and %s have the name %q: it goes to the one that it belongs to, or is shared by both", other.ID, entry.ID, name)
				}
				if slices.ContainsFunc(entry.Context, func(word string) bool { return slices.Contains(other.Context, word) }) {
					t.Errorf("%s and %s share the name %q, and their contexts %q and %q don't tell them apart", other.ID, entry.ID, name,
						other.Context, entry.Context)
				}
			}
			names[key] = append(names[key], entry)
		}
	}
}

func hasKey(names []string, key string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return matcher.NameKey(name) == key })
}

// bareCode is a name that is a number alone: each program counts its errors from zero, and every JSON-RPC server has its -32000.
var bareCode = regexp.MustCompile(`^(?:custom program error: 0x[0-9a-f]{1,4}|\W*"?Custom"?: ?\d{1,5}\W*|(?:"?(?:error )?code"?:? ?)?-?\d{1,5})$`)

// A source is pinned: it is one state of one thing, and an entry or a row of the catalog cites it.
func TestSourcesArePinned(t *testing.T) {
	t.Parallel()
	sources, err := reference.Sources()
	if err != nil {
		t.Fatal(err)
	}
	cited := map[string]bool{}
	for _, entry := range entries(t) {
		for _, citation := range entry.Source {
			cited[citation.In] = true
		}
	}
	catalog, err := reference.ReadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	cite := func(keys []string) {
		for _, key := range keys {
			cited[key] = true
		}
	}
	for _, chain := range catalog.Chains {
		cite(chain.Source)
	}
	for _, token := range catalog.Tokens {
		cite(token.Source)
	}
	for _, protocol := range catalog.Protocols {
		cite(protocol.Source)
	}
	for key, source := range sources {
		kinds := 0
		for _, kind := range []string{source.Repository, source.NPM, source.Crate} {
			if kind != "" {
				kinds++
			}
		}
		pinned := source.Version != "" && source.Commit == "" || source.Repository != "" && fullCommit.MatchString(source.Commit)
		if kinds != 1 || !pinned || !isDay(source.Day) || !keyPattern.MatchString(key) {
			t.Errorf("source %s isn't one thing at one state: %+v", key, source)
		}
		if !cited[key] && len(source.For) == 0 {
			t.Errorf("no entry and no row of the catalog cites the source %s", key)
		}
	}
}

var (
	idPattern      = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)+$`)
	ecosystemNames = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	keyPattern     = ecosystemNames
	fullCommit     = regexp.MustCompile(`^[0-9a-f]{40}$`)
	versionRange   = regexp.MustCompile(`^(?:any|(?:[<>]=?|=)\d[\w.+-]*(?: (?:\|\| )?(?:[<>]=?|=)\d[\w.+-]*)*)$`)
)

func isDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// checkEntry holds an entry to its form. Limits are in characters: an answer holds one in about 400 tokens.
func checkEntry(t *testing.T, e reference.Entry) {
	t.Helper()
	if !idPattern.MatchString(e.ID) {
		t.Errorf("id %q isn't of the form domain.what-it-is", e.ID)
	}
	if len(e.Names)+len(e.Shared)+len(e.Asked) == 0 || max(len(e.Names), len(e.Shared), len(e.Asked), len(e.Context)) > 15 {
		t.Errorf("%s: %d names, %d shared, %d asked, %d in context: none of the first three, or more than 15 of one", e.ID, len(e.Names),
			len(e.Shared), len(e.Asked), len(e.Context))
	}
	if len(e.Shared) > 0 != (len(e.Context) > 0) {
		t.Errorf("%s: shared names %q and the context %q go together", e.ID, e.Shared, e.Context)
	}
	for _, name := range e.Names {
		if bareCode.MatchString(name) {
			t.Errorf("%s: %q is a code that many programs print: it goes under shared", e.ID, name)
		}
	}
	for _, text := range slices.Concat(e.Names, e.Shared, e.Asked, e.Context) {
		if strings.TrimSpace(text) != text || text == "" || len([]rune(text)) > 200 {
			t.Errorf("%s: %q is empty, too long or has spaces at its ends", e.ID, text)
		}
	}
	for program, versions := range e.Applies.Software {
		if program == "" || !versionRange.MatchString(versions) {
			t.Errorf("%s: it applies to %q in %q, which is no range of versions", e.ID, program, versions)
		}
	}
	for _, sign := range e.Signs {
		if len(matcher.KindTerms(sign)) == 0 || strings.TrimSpace(sign) != sign {
			t.Errorf("%s: sign %q says nothing, or has spaces at its ends", e.ID, sign)
		}
	}
	if len(e.Ecosystem) == 0 || slices.ContainsFunc(e.Ecosystem, func(name string) bool {
		return !ecosystemNames.MatchString(name) || lore.NormaliseEcosystem(name) != name
	}) {
		t.Errorf("%s: ecosystem %q", e.ID, e.Ecosystem)
	}
	if !slices.ContainsFunc(lore.Categories(), func(c lore.CategoryUse) bool { return c.Value == e.Category }) {
		t.Errorf("%s: category %q", e.ID, e.Category)
	}
	for _, part := range []struct {
		name, text string
		most       int
	}{{"title", e.Title, 140}, {"cause", e.Cause, 700}, {"fix", e.Fix, 1000}} {
		if length := len([]rune(part.text)); length < 10 || length > part.most {
			t.Errorf("%s: %s has %d characters, not 10 to %d", e.ID, part.name, length, part.most)
		}
	}
	if len(e.Source) == 0 || len(e.Source) > 6 {
		t.Errorf("%s: %d sources, not 1 to 6", e.ID, len(e.Source))
	}
	for _, citation := range e.Source {
		if !strings.HasPrefix(citation.URL(), "https://") || citation.In == "" && !isDay(citation.Day) {
			t.Errorf("%s: %+v is no file of a source and no page with its day", e.ID, citation)
		}
	}
	if !isDay(e.Checked) || e.CheckedAgain != "" && (!isDay(e.CheckedAgain) || e.CheckedAgain < e.Checked) {
		t.Errorf("%s: checked %q and again %q aren't days in this order", e.ID, e.Checked, e.CheckedAgain)
	}
}

// A variant leads to an entry that is a kind of its own.
func TestVariantsHaveAFamily(t *testing.T) {
	t.Parallel()
	family := map[string]string{}
	for _, entry := range entries(t) {
		family[entry.ID] = entry.Family
	}
	for id, of := range family {
		if further, there := family[of]; of != "" && (!there || further != "") {
			t.Errorf("%s is a variant of %q, which is there: %v, and a variant of %q", id, of, there, further)
		}
	}
}

var (
	signature = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*(\(.*\))$`)
	selector  = regexp.MustCompile(`^0x[0-9a-f]{8}$`)
	topic     = regexp.MustCompile(`^0x[0-9a-f]{64}$`)
	// elementary holds the types that a signature's hash is made of (Solidity's ABI specification): no names, no uint for uint256.
	elementary = regexp.MustCompile(`^(?:address|bool|string|function|bytes(?:[1-9]|[12][0-9]|3[0-2])?|u?int(?:8|16|24|32|40|48|56|64|72|80|88|96|104|112|120|128|136|144|152|160|168|176|184|192|200|208|216|224|232|240|248|256))(?:\[[0-9]*\])*$`)
	tuple      = regexp.MustCompile(`\(([^()]*)\)((?:\[[0-9]*\])*)`)
)

func keccak(text string) string {
	hash := sha3.NewLegacyKeccak256()
	hash.Write([]byte(text))
	return "0x" + hex.EncodeToString(hash.Sum(nil))
}

func isSignature(name string) bool {
	found := signature.FindStringSubmatch(name)
	if found == nil {
		return false
	}
	for inside := found[1]; inside != "bool"; { // innermost tuples first, each in place of an elementary type
		at := tuple.FindStringSubmatchIndex(inside)
		if at == nil {
			return false
		}
		if kinds := inside[at[2]:at[3]]; kinds != "" {
			for kind := range strings.SplitSeq(kinds, ",") {
				if !elementary.MatchString(kind) {
					return false
				}
			}
		}
		inside = inside[:at[0]] + "bool" + inside[at[4]:at[5]] + inside[at[1]:]
	}
	return true
}

// A selector is the first four bytes of the Keccak hash of its error's signature, an event's topic the whole of it. An error that is named
// by its signature has its selector.
func TestSelectorsAreTheHashOfTheirSignatures(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, entry := range entries(t) {
		made, topics := map[string]string{}, map[string]bool{}
		names := slices.Concat(entry.Names, entry.Shared)
		for _, name := range names {
			if isSignature(name) {
				hash := keccak(name)
				made[hash[:len("0x12345678")]], topics[hash] = name, true
			}
		}
		given := map[string]bool{}
		for _, name := range names {
			switch {
			case topic.MatchString(name) && len(made) > 0 && !topics[name]:
				t.Errorf("%s: %s is the topic of no signature that it names", entry.ID, name)
			case selector.MatchString(name):
				given[name] = true
				if len(made) > 0 && made[name] == "" {
					t.Errorf("%s: %s is the selector of no signature that it names", entry.ID, name)
				}
				checked++
			}
		}
		for hash, name := range made {
			if len(given) > 0 && !given[hash] {
				t.Errorf("%s: %s has the selector %s, which it doesn't name", entry.ID, name, hash)
			}
		}
	}
	if checked < 100 {
		t.Errorf("%d selectors were checked", checked)
	}
}

// Programs print an error's number in hexadecimal, clients in decimal: both must be the same.
func TestSolanaNumbersAgree(t *testing.T) {
	t.Parallel()
	number, program, custom := regexp.MustCompile(`Error Number: (\d+)\.`), regexp.MustCompile(`custom program error: 0x([0-9a-f]+)`), regexp.MustCompile(`"Custom":(\d+)`)
	checked := 0
	for _, entry := range entries(t) {
		decimal, hexadecimal := map[string]bool{}, map[string]bool{}
		for _, name := range slices.Concat(entry.Names, entry.Shared) {
			for _, pattern := range []*regexp.Regexp{number, custom} {
				if found := pattern.FindStringSubmatch(name); found != nil {
					decimal[found[1]] = true
				}
			}
			if found := program.FindStringSubmatch(name); found != nil {
				value, err := strconv.ParseUint(found[1], 16, 32)
				if err != nil {
					t.Errorf("%s: %s", entry.ID, name)
				}
				hexadecimal[fmt.Sprint(value)] = true
			}
		}
		for number := range decimal {
			if checked++; len(hexadecimal) > 0 && !hexadecimal[number] {
				t.Errorf("%s: its names have the number %s in decimal, and in hexadecimal %v", entry.ID, number, hexadecimal)
			}
		}
	}
	if checked < 80 {
		t.Errorf("%d numbers were checked", checked)
	}
}

// The protocol's result codes lie in the range of their class (https://xrpl.org/docs/references/protocol/transactions/transaction-results).
func TestXRPLCodesLieInTheirRange(t *testing.T) {
	t.Parallel()
	ranges := map[string][2]int{"tec": {100, 255}, "tel": {-399, -300}, "tem": {-299, -200}, "tef": {-199, -100}, "ter": {-99, -1}}
	code, class := regexp.MustCompile(`"engine_result_code":(-?\d+)`), regexp.MustCompile(`^(tec|tel|tem|tef|ter)[A-Z]`)
	checked := 0
	for _, entry := range entries(t) {
		var wanted [2]int
		for _, name := range entry.Names {
			if found := class.FindStringSubmatch(name); found != nil {
				wanted = ranges[found[1]]
			}
		}
		for _, name := range entry.Names {
			found := code.FindStringSubmatch(name)
			if found == nil {
				continue
			}
			if value, err := strconv.Atoi(found[1]); err != nil || value < wanted[0] || value > wanted[1] {
				t.Errorf("%s: code %s is not of its class", entry.ID, found[1])
			}
			checked++
		}
	}
	if checked < 100 {
		t.Errorf("%d codes were checked", checked)
	}
}
