package scrubber

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// worst are texts of one megabyte that make a careless scanner quadratic or its proofs expensive.
func worst() map[string]string {
	size := 1 << 17
	if long() {
		size = 1 << 20
	}
	g := newGen(9)
	fill := func(s string) string { return strings.Repeat(s, size/len(s)+1)[:size] }
	make_ := func(next func() string) string {
		var b strings.Builder
		for b.Len() < size {
			b.WriteString(next())
		}
		return b.String()[:size]
	}
	m := map[string]string{
		"keypair arrays":        make_(func() string { return "[" + ints(g.bytes(64), "%d") + "]" }),
		"one long array":        make_(func() string { return fmt.Sprint(g.IntN(256)) + "," }),
		"base58 of 88":          make_(func() string { return g.from(alphabets["b58"], 88) + " " }),
		"hex of 128":            make_(func() string { return g.from(alphabets["hex"], 128) + " " }),
		"base64 of 64":          make_(func() string { return g.from(alphabets["an"], 86) + "== " }),
		"long base58":           g.from(alphabets["b58"], size),
		"long base64":           g.from(alphabets["b64"], size),
		"long hex":              g.from(alphabets["hex"], size),
		"list words":            make_(func() string { return g.from("", 0) + listWords(0)[g.IntN(2048)] + " " }),
		"list words in cells":   make_(func() string { return "| " + listWords(0)[g.IntN(2048)] + " |\n" }),
		"list words in objects": make_(func() string { return "{\"i\": 1, \"w\": \"" + listWords(0)[g.IntN(2048)] + "\"}, " }),
		"six digits":            make_(func() string { return g.from(alphabets["dig"], 6) + " " }),
		"base64 of text":        base64.StdEncoding.EncodeToString([]byte(fill("the quick brown fox has no secret; "))),
		"hex of text":           fmt.Sprintf("%x", fill("the quick brown fox; ")[:size/2]),
		"cyrillic":              fill("сервер отвечает медленно, потому что "),
		"chinese":               fill("合约在升级之后无法正常工作，"),
		"accents":               fill("é à ü ñ ç ö "),
		"nested base64": make_(func() string {
			return base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte("plain text without anything in it")))) + " "
		}),
		"base64 of gzip":   make_(func() string { return g.spelling("base64of", "gzip")[:80] + " " }),
		"gzip of zeros":    make_(func() string { return zeros() + " " }),
		"base32":           g.from(alphabets["B32"], size),
		"base32 words":     make_(func() string { return g.from(alphabets["B32"], 52) + " " }),
		"digits in boxes":  make_(func() string { return "| " + g.from(alphabets["dig"], 1) + " " }),
		"rows of digits":   make_(func() string { return g.from("0123", 1) + " " + g.from("0123", 1) + "\n" }),
		"camel case":       make_(func() string { return camel(g.phrase(listEnglish, 1)) }),
		"heads":            make_(func() string { return "seed " + heads(g.phrase(listEnglish, 1))[0] + " " }),
		"hex bytes":        make_(func() string { return g.from(alphabets["hex"], 2) + " " }),
		"hex bytes, named": make_(func() string { return "private key: " + g.spelling("hexbytes", "space")[:90] + "\n" }),
		"numbers, named":   make_(func() string { return "private key: [" + ints(g.bytes(31), "%d") + "]\n" }),
		"real seeds":       make_(func() string { return g.seed() + " " }),
		"real keys":        make_(func() string { return "0x" + g.from(alphabets["hex"], 64) + "\n" }),
		"e-mails":          make_(func() string { return g.from(alphabets["a"], 5) + "@" + g.from(alphabets["a"], 4) + ".com " }),
		"wrapped hex":      make_(func() string { return g.from(alphabets["hex"], 64) + "\n" }),
		"escaped percent":  fill("%2541%2542%2543 "),
		"zero width":       fill("a\u200bb\u200bc\u200b "),
		"zero width glued": fill("s\u200bn\u200bK\u200b"),
		"mathematical":     fill("𝐬𝐧𝐊𝐰𝟏"),
		"invalid":          fill("s\xffn\xfe"),
	}
	for _, s := range []string{
		"s", "sEd", "1,", "-----BEGIN PRIVATE KEY-----\n", "eyJ", "eyJ.a.", "a@", "@", "a@b.c,", "\"a b\"@x ", "abandon ", "0x", "ED", "5K", "K", "xprv", "nsec1", "SAAA", "agl-", "password=", "token:", "key=\"",
		"://", "x://a:", "x://a:b@", "curl -u a:b ", "private key ", "PRIVATE KEY", "-----BEGIN A PRIVATE KEY-----AAAAAAAAAAAAAAAAAAAA", "&#64;", "\\u0041", "\\\\", "%41", "&amp;", "\" + \"", "a\nb", "abcdefghijklmnop\n",
		"==", "authorization: ", "bearer ", "AC", "AKIA", ".atlasv1.", "ghp_", "infura.io/", "?key=", "\u200b", "\x00", "\x1b[31m", "８", "é", "[", "0x1,", "Private-Lines: 1\n", "T3BlbkFJ", "8Q~", ":AA", "zoo wrong able about above absent absorb abstract ", "a.", "a-",
		"сa", "\\x41", "s1", "9", "c", "L5", "8Q~x", "seed ", "mnemonic: ", "%25", "Mabcdefghijklmnopqrstuvw.", "\r", "\r\n", "+", "'+'", "\"\n\"", "{\"kty\":\"d\",", "kty", "thegraph.com/api/", "a.b.rpc.rivet.cloud", "accounts: [", "_pk=", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ\n", "a@10.1.2.3 ", "key,a\n", "| key | token |\n", "key,pwd,abc,", "seed", "private", "mnemonic", "scan", "key", "wallets", "entropy", "Abandon", "name: key\nvalue: ", "value: a, name: key", "seed 1 2 3 4 ", "助记词的一是在", "的一是在", "助记词", "private key ab cd ",
		"private key part 1: 4c08 ", "cast wallet address ", "account import | ", "vars set A ", "vars set A\nEnter value ", "Private Keys\n(0) ", "invalid BytesLike ", "invalid BytesLike value=\"0 Wallet(", "etherscan key ", "infura ", "root password ", "root ", "a[at]b", "a [at] b. ", "a AT b DOT ", "zoo and ", "H4sIAAAA", "\\x4c\\x08", "for private", "| private", "0x12 ", "\"a\" \"b\" ", "password=\"a\" + ", "Bearer ${\"", "1 ", "12 34 ", "A 1", "<li>abandon</li><li>ability", "<li ", "1. zoo\n2. abstract\n3. able\n4. wrong\n5. about\n6. absent\n7. above\n8. absorb\n9. zone\n",
	} {
		m[fmt.Sprintf("%.20q", s)] = fill(s)
	}
	return m
}

// zeros is a megabyte of zeros, as gzip packs it.
var zeros = sync.OnceValue(func() string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(make([]byte, 1<<20))
	z.Close()
	return base64.StdEncoding.EncodeToString(b.Bytes())
})

// No megabyte takes longer than 150 ms of a core (AGENTLORE_LONG=1; otherwise an eighth of one is tried with a wide limit, against
// quadratic time).
func TestWorstMegabyte(t *testing.T) {
	s := newScrubber(t)
	limit := 1500 * time.Millisecond
	if long() {
		limit = 150 * time.Millisecond
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var slowest time.Duration
	name := ""
	for what, text := range worst() {
		took := time.Hour
		for range 3 {
			start := cpuTime()
			s.text(text)
			took = min(took, cpuTime()-start)
			if took < limit/4 {
				break
			}
		}
		if took > 60*time.Millisecond {
			t.Logf("%s: %v", what, took)
		}
		if took > limit {
			t.Errorf("%s: %v", what, took)
		}
		if took > slowest {
			slowest, name = took, what
		}
	}
	t.Logf("slowest: %s, %v", name, slowest)
}
