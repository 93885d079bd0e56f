package lore_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"go.mau.fi/util/confusable"
	"golang.org/x/text/secure/precis"

	"agentlore/lore"
)

// alike are names that people take for each other.
var alike = map[string][]string{
	"paypal": {
		"PAYPAL", " paypal ", "paypa1", "paypa|", "PayPaI", "paypaI", "pаypаl", "раураӏ", "ｐａｙｐａｌ", "𝓹𝓪𝔂𝓹𝓪𝓵", "ⓟⓐⓨⓟⓐⓛ", "ρаyρаl",
		"pay\u200bpal", "pay\u200dpal", "pay\u2060pal", "\ufeffpaypal", "pay\u00adpal", "pay\u034fpal", "pay\ufe0fpal", "pay\u3164pal",
		"\u202epaypal\u202c", "\u2067paypal\u2069", "paypal\U000e0001\U000e0061\U000e007f", "pay\x00pal",
	},
	"metamask":       {"rnetamask", "rnetarnask", "METAMASK", "mеtаmаsk"},
	"bridge-watcher": {"bridge‐watcher", "bridge‑watcher", "bridge–watcher", "brldge-watcher", "br1dge-watcher", "br\u0131dge-watcher", "bri\u0307dge-watcher", "bri\u0307\u0307dge-watcher", "BRİDGE-WATCHER"},
	"bot":            {"b0t", "bοt", "BОT", "ВОТ", "вот", "ΒΟΤ", "bօt"},
	"agent-10":       {"agent-1O", "agent-lo", "agent-I0", "agent-1\u0665", "AGENT-IO"},
	"a b":            {"a  b", "a\u00a0b", "a\u2003b", "a\u3000b", "a\u2800b", "\ta b\n"},
	"fix":            {"ﬁx", "FIX", "f\u0456x", "f1x"},
	"strasse":        {"Straße", "STRASSE", " strasse ", "ｓｔｒａｓｓｅ", "ſtrasse", "STRAẞE"},
	"zoé":            {"Zoe\u0301", "ZOÉ", "zoe\u0301\u0301", "zoе́"},
	"ᎣᎩᏍ":            {"ꭳꭹꮝ", "Ꭳꭹꮝ"},
	"東京":             {"東\ufe00京"},
	"ｶﾞｽ":            {"ガス"},
}

// apart are names that people tell from each other.
var apart = []string{
	"agent-1", "agent-2", "agent1", "agent_1", "agent 1", "agent.1", "a b", "ab", "zoe", "zoé", "zoë", "paypal", "paypol", "paypal2", "pay-pal", "bot", "bat", "cot", "dot", "clot",
	"vv", "w", "0x5a", "0x6a", "анна", "инна", "αλφα", "βητα", "東京", "京都", "서울", "부산", "عمر", "علي", "राम", "श्याम", "ガス", "バス", "n", "v", "u", "y", "milliξ", "milli",
	"reth", "geth", "lido", "aave", "g", "q", "5", "s", "2", "z", "8", "b", "6", "9", "🦊", "🐻",
}

func TestNamesThatLookAlikeAreOne(t *testing.T) {
	for name, others := range alike {
		for _, other := range others {
			if lore.NameKey(name) != lore.NameKey(other) {
				t.Errorf("%q has the key %q, %+q %q", name, lore.NameKey(name), other, lore.NameKey(other))
			}
			if lore.NameKey(name) != lore.NameKey(other) {
				t.Errorf("%q and %+q are two owners", name, other)
			}
		}
	}
}

func TestNamesThatDifferStayApart(t *testing.T) {
	keys := map[string]string{}
	for _, name := range apart {
		key := lore.NameKey(name)
		if other := keys[key]; other != "" || key == "" {
			t.Errorf("%q and %q have one key: %q", name, other, key)
		}
		keys[key] = name
	}
}

// The documents of stores made before are found by this key.
func TestLegacyNameKey(t *testing.T) {
	for _, spelling := range []string{"Straße", "STRASSE", " strasse ", "ｓｔｒａｓｓｅ"} {
		if lore.LegacyNameKey(spelling) != "strasse" {
			t.Errorf("%q has the key %q", spelling, lore.LegacyNameKey(spelling))
		}
	}
	for _, name := range []string{"İ", "ΑΣ", "ẞ", "ͅ", "\u1e9e"} { // folding and NFKC must not disturb each other
		if key := lore.LegacyNameKey(name); lore.LegacyNameKey(key) != key {
			t.Errorf("the key of %q isn't stable: %q becomes %q", name, key, lore.LegacyNameKey(key))
		}
	}
}

// Stored keys are made from one table. If this fails, an update of the library brought another one: keys made before differ from
// those made now, so `agentlore migrate` has to make them again from the names before the update goes out. Two old names may then
// have one key: both stay.
func TestTableOfLookAlikes(t *testing.T) {
	sum := sha256.New()
	for r := range rune(unicode.MaxRune + 1) {
		if alike := confusable.GetReplacement(r); alike != "" {
			fmt.Fprintf(sum, "%x;%s\n", r, alike)
		}
	}
	const unicode17 = "bfca4576024cb0a61311c51936bb4a7098d0086b477265580c376ca987816704"
	if got := hex.EncodeToString(sum.Sum(nil)); got != unicode17 {
		t.Errorf("the table has the digest %s; it was %s, of Unicode 17.0.0", got, unicode17)
	}
}

// stable checks what holds of every text's key.
func stable(t *testing.T, name string) {
	t.Helper()
	key := lore.NameKey(name)
	if again := lore.NameKey(key); again != key {
		t.Errorf("%+q has the key %+q, which has the key %+q", name, key, again)
	}
	if legacy := lore.NameKey(lore.LegacyNameKey(name)); legacy != key {
		t.Errorf("%+q has the key %+q, but by its legacy key %+q", name, key, legacy)
	}
	if nickname, err := precis.Nickname.String(name); err == nil && lore.NameKey(nickname) != key {
		t.Errorf("%+q has the key %+q, but by its nickname %+q", name, key, lore.NameKey(nickname))
	}
	lore.CheckName(name)
}

func TestKeyOfEveryCharacterIsStable(t *testing.T) {
	for r := range rune(0x20000) {
		if unicode.IsGraphic(r) {
			stable(t, string(r))
		}
	}
}

func FuzzNameKey(f *testing.F) {
	for name, others := range alike {
		for _, other := range append(others, name, strings.ToUpper(name)) {
			f.Add(other)
		}
	}
	for _, name := range apart {
		f.Add(name)
	}
	f.Add("i\u0323\u0307\xff\u0345")
	f.Fuzz(stable)
}

func BenchmarkNameKey(b *testing.B) {
	for _, name := range []string{"bridge-watcher", "Zoë", "наблюдатель моста", strings.Repeat("m", 64), strings.Repeat("ﷺ", 64)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				lore.NameKey(name)
			}
		})
	}
}
