package scrubber

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// contexts are the places in which a value stands by itself. %s is the value; the rest must come back.
var contexts = []string{
	"%s", "the value %s leaked", "(%s)", "\"%s\"", "'%s'", "`%s`", "key=%s;", "key: %s,", "{\"k\":\"%s\"}", "<b>%s</b>",
	"[%s]", "x\n%s\ny", "\t%s\t", "密钥%s在这里", "é %s é", "🔑%s🔑", "a/%s/b", "%s, and then", "| %s | cell |", "> %s",
}

// values draw one value of each of the specification's six patterns.
var values = []struct {
	name string
	draw func(g gen) string
}{
	{"ledger seed", func(g gen) string {
		for {
			if s := "s" + g.from(bitcoinAlphabet, 25+g.IntN(10)); !programName(s) {
				return s
			}
		}
	}},
	{"ledger key", func(g gen) string { return "ED" + g.from("0123456789abcdefABCDEF", 64) }},
	{"0x key", func(g gen) string { return "0x" + g.from("0123456789abcdefABCDEF", 64) }},
	{"jwt", func(g gen) string {
		b := alphabets["an"] + "-_"
		return "eyJ" + g.from(b, g.IntN(40)) + "." + g.from(b, 1+g.IntN(60)) + "." + g.from(b, 1+g.IntN(43))
	}},
	{"service token", func(g gen) string { return "agl-" + g.from(alphabets["b36"], 1+g.IntN(40)) }},
	{"e-mail", func(g gen) string {
		local, domain := alphabets["an"]+"._%+-", alphabets["b36"]+"-"
		// A delimiter written in percent (%20, %3a) ends a local part, so none may be drawn.
		return g.from(alphabets["lo"], 1) + strings.ReplaceAll(g.from(local, g.IntN(12)), "%", "%z") + g.from(alphabets["an"], 1) + "@" + g.from(alphabets["lo"], 1) + g.from(domain, g.IntN(10)) + g.from(alphabets["lo"], 1) + "." + g.from(alphabets["lo"], 2+g.IntN(4))
	}},
}

// Every value of each pattern is removed from every context, and the context comes back as it was. AGENTLORE_LONG=1
// draws 100,000 values of each pattern in 20 contexts each: 12 million texts.
func TestEveryPatternIsRemovedFromEveryContext(t *testing.T) {
	n := 1000
	if long() {
		n = 100_000
	}
	s := newScrubber(t)
	for _, v := range values {
		t.Run(v.name, func(t *testing.T) {
			g := newGen(11)
			kept, texts := 0, 0
			for range n {
				value := v.draw(g)
				for _, c := range contexts {
					texts++
					text := fmt.Sprintf(c, value)
					out, _ := s.text(text)
					if want := fmt.Sprintf(c, Marker); out != want {
						if kept++; kept <= 5 {
							t.Errorf("%q\n  got %q\n want %q", text, out, want)
						}
					}
				}
			}
			t.Logf("%d texts, %d wrong", texts, kept)
		})
	}
}

// identifiers are what agents live on: none may be damaged.
var identifiers = []struct {
	name string
	draw func(g gen) string
}{
	{"solana address", func(g gen) string { return encode58fast(g.Rand, 32) }},
	{"solana signature", func(g gen) string { return encode58fast(g.Rand, 64) }},
	{"evm address", func(g gen) string { return "0x" + hex.EncodeToString(g.bytes(20)) }},
	{"xrpl address", func(g gen) string { return check58fast(rippleAlphabet, append([]byte{0}, g.bytes(20)...)) }},
	{"bitcoin address", func(g gen) string { return check58fast(bitcoinAlphabet, append([]byte{0}, g.bytes(20)...)) }},
	{"cid v0", func(g gen) string { return encode58bytes(bitcoinAlphabet, append([]byte{0x12, 0x20}, g.bytes(32)...)) }},
	{"cid v1", func(g gen) string {
		return "bafybei" + g.from("abcdefghijklmnopqrstuvwxyz234567", 52)
	}},
	{"bare hash", func(g gen) string { return hex.EncodeToString(g.bytes(32)) }},
	{"upper-case hash", func(g gen) string { return strings.ToUpper(hex.EncodeToString(g.bytes(32))) }},
	{"uuid", func(g gen) string { return g.value("uuid", 0) }},
	{"git sha", func(g gen) string { return hex.EncodeToString(g.bytes(20)) }},
	{"bls key", func(g gen) string { return "0x" + hex.EncodeToString(g.bytes(48)) }},
	{"evm signature", func(g gen) string { return "0x" + hex.EncodeToString(g.bytes(65)) }},
	{"calldata", func(g gen) string { return "0x" + hex.EncodeToString(g.bytes(4+32*(1+g.IntN(6)))) }},
}

// Nothing of them is damaged: a million of each with AGENTLORE_LONG=1.
func TestNoIdentifierIsDamaged(t *testing.T) {
	n := 10_000
	if long() {
		n = 1_000_000
	}
	s := newScrubber(t)
	frames := []string{"%s", "tx %s failed", "\"id\": \"%s\",", "token: %s", "https://x.example/%s/y"}
	for _, id := range identifiers {
		t.Run(id.name, func(t *testing.T) {
			g := newGen(12)
			damaged := 0
			for i := range n {
				text := fmt.Sprintf(frames[i%len(frames)], id.draw(g))
				if out, hits := s.text(text); out != text {
					if damaged++; damaged <= 5 {
						t.Errorf("%q %v", text, hits)
					}
				}
			}
			t.Logf("%d of %d damaged", damaged, n)
		})
	}
}

func encode58fast(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return encode58bytes(bitcoinAlphabet, b)
}

// encode58bytes is encode58 without big numbers: a million values are drawn.
func encode58bytes(alphabet string, b []byte) string {
	digits := make([]byte, 0, len(b)*138/100+1)
	for _, c := range b {
		carry := int(c)
		for i := range digits {
			carry += int(digits[i]) << 8
			digits[i] = byte(carry % 58)
			carry /= 58
		}
		for carry > 0 {
			digits = append(digits, byte(carry%58))
			carry /= 58
		}
	}
	for _, c := range b {
		if c != 0 {
			break
		}
		digits = append(digits, 0)
	}
	out := make([]byte, len(digits))
	for i, d := range digits {
		out[len(digits)-1-i] = alphabet[d]
	}
	return string(out)
}

func check58fast(alphabet string, payload []byte) string {
	sum := doubleSHA(payload)
	return encode58bytes(alphabet, append(append([]byte(nil), payload...), sum[:4]...))
}
