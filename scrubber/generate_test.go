package scrubber

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// gen builds secrets and look-alikes at run time, so that the source holds none.
type gen struct{ *rand.Rand }

func newGen(seed uint64) gen { return gen{rand.New(rand.NewPCG(seed, 42))} }

var alphabets = map[string]string{
	"b58": bitcoinAlphabet, "hex": "0123456789abcdef", "HEX": "0123456789ABCDEF", "b36": "abcdefghijklmnopqrstuvwxyz0123456789",
	"UPD": "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "an": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
	"u64": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "b64": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
	"lo": "abcdefghijklmnopqrstuvwxyz", "a": "abcdefghijklmnopqrstuvwxyz", "dig": "123456789", "b32c": "qpzry9x8gf2tvdw0s3jn54khce6mua7l", "B32": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
	"B32C": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}

func (g gen) from(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[g.IntN(len(alphabet))]
	}
	return string(b)
}

func (g gen) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.Uint32())
	}
	return b
}

func encode58(alphabet string, b []byte) string {
	n, radix := new(big.Int).SetBytes(b), big.NewInt(58)
	var out []byte
	for n.Sign() > 0 {
		var m big.Int
		n.DivMod(n, radix, &m)
		out = append([]byte{alphabet[m.Int64()]}, out...)
	}
	for _, c := range b {
		if c != 0 {
			break
		}
		out = append([]byte{alphabet[0]}, out...)
	}
	return string(out)
}

func check58(alphabet string, payload []byte) string {
	a := sha256.Sum256(payload)
	a = sha256.Sum256(a[:])
	return encode58(alphabet, append(append([]byte(nil), payload...), a[:4]...))
}

func (g gen) seed() string { return check58(rippleAlphabet, append([]byte{0x21}, g.bytes(16)...)) }
func (g gen) edSeed() string {
	return check58(rippleAlphabet, append([]byte{0x01, 0xE1, 0x4B}, g.bytes(16)...))
}

func (g gen) keypair() []byte { return ed25519.NewKeyFromSeed(g.bytes(32)) }

func (g gen) jwt() string {
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	return part(`{"alg":"HS256","typ":"JWT"}`) + "." + part(`{"sub":"`+g.from(alphabets["an"], 8)+`"}`) + "." + base64.RawURLEncoding.EncodeToString(g.bytes(32))
}

// der encodes a drawn key.
func (g gen) der(form string) []byte {
	seed := make([]byte, 0, 32)
	seed = append(seed, g.bytes(32)...)
	edwards := ed25519.NewKeyFromSeed(seed)
	var b []byte
	var err error
	switch form {
	case "ed25519":
		b, err = x509.MarshalPKCS8PrivateKey(edwards)
	case "public":
		b, err = x509.MarshalPKIXPublicKey(edwards.Public())
	default:
		var key *ecdsa.PrivateKey
		if key, err = ecdsa.ParseRawPrivateKey(elliptic.P256(), append([]byte{1}, seed[1:]...)); err != nil {
			panic(err)
		}
		switch form {
		case "pkcs8":
			b, err = x509.MarshalPKCS8PrivateKey(key)
		case "sec1":
			b, err = x509.MarshalECPrivateKey(key)
		case "rsa": // the head of one, and what follows is drawn
			b = append([]byte{0x30, 0x82, 0x04, 0xa3, 2, 1, 0, 2, 0x82, 1, 1, 0}, g.bytes(1179)...)
		}
	}
	if err != nil {
		panic(err)
	}
	return b
}

func ints(b []byte, format string) string {
	s := make([]string, len(b))
	for i, c := range b {
		s[i] = fmt.Sprintf(format, c)
	}
	return strings.Join(s, ",")
}

// value makes what <name:n> stands for.
func (g gen) value(name string, n int) string {
	switch name {
	case "seed":
		return g.seed()
	case "edseed":
		return g.edSeed()
	case "jwt":
		return g.jwt()
	case "u64": // no hyphen at the ends, which prose would not keep with the token
		return g.from(alphabets["an"], n)
	case "wif":
		return check58(bitcoinAlphabet, append([]byte{0x80}, g.bytes(32)...))
	case "wifcompressed":
		return check58(bitcoinAlphabet, append(append([]byte{0x80}, g.bytes(32)...), 1))
	case "xprv":
		return check58(bitcoinAlphabet, append([]byte{0x04, 0x88, 0xAD, 0xE4}, g.bytes(74)...))
	case "keypair58":
		for {
			if s := encode58(bitcoinAlphabet, g.keypair()); len(s) >= 86 {
				return s
			}
		}
	case "keypairhex":
		return hex.EncodeToString(g.keypair())
	case "keypair64":
		return base64.StdEncoding.EncodeToString(g.keypair())
	case "keypairints":
		return ints(g.keypair(), "%d")
	case "keypairspaced":
		return strings.ReplaceAll(ints(g.keypair(), "%d"), ",", ",\n  ")
	case "keypairbytes":
		return ints(g.keypair(), "0x%02x")
	case "ints":
		return ints(g.bytes(n), "%d")
	case "words":
		return strings.Join(g.mnemonic(0, (n+2)/3*3)[:n], " ")
	case "numbered":
		var s []string
		for i, w := range g.mnemonic(0, n) {
			s = append(s, strconv.Itoa(i+1)+". "+w)
		}
		return strings.Join(s, "\n")[3:]
	case "quoted":
		return strings.Join(g.mnemonic(0, n), `", "`)
	case "lines":
		return strings.Join(g.mnemonic(0, n), "\n")
	case "upper":
		return strings.ToUpper(strings.Join(g.mnemonic(0, n), " "))
	case "heads":
		return strings.Join(heads(g.mnemonic(0, n)), " ")
	case "headlines":
		return joinNumbered(heads(g.mnemonic(0, n)), "\n%d. ")
	case "indexes":
		return strings.Join(indexes(g.mnemonic(0, n), 0), " ")
	case "indexes1":
		return strings.Join(indexes(g.mnemonic(0, n), 1), " ")
	case "indexlist":
		return strings.Join(indexes(g.mnemonic(0, n), 0), ", ")
	case "badindexes": // neither from 0 nor from 1
		for {
			w := g.phrase(listEnglish, n)
			if !validPhrase(places(indexes(w, 0)), 0) && !validPhrase(places(indexes(w, 0)), 1) {
				return strings.Join(indexes(w, 0), ", ")
			}
		}
	case "camel":
		return camel(g.mnemonic(0, (n+2)/3*3)[:n])
	case "hanzi":
		return g.hanzi(listChinese, n)
	case "badhanzi":
		for {
			w := g.phrase(listChinese, n)
			values := make([]int, n)
			for i := range w {
				values[i] = slices.Index(listWords(listChinese), w[i])
			}
			if !validPhrase(values, 0) {
				return strings.Join(w, "")
			}
		}
	case "cells":
		return strings.Join(g.mnemonic(0, n), " |\n| 10  | ")
	case "members":
		return joinNumbered(g.mnemonic(0, n), "\", \"w%d\": \"")
	case "objects":
		return joinNumbered(g.mnemonic(0, n), "\"}, {\"index\": %d, \"value\": \"")
	case "items":
		return strings.Join(g.mnemonic(0, n), "</li>\n<li>")
	case "checks":
		return strings.Join(g.mnemonic(0, n), "\n- [x] ")
	case "log":
		return joinNumbered(g.mnemonic(0, n), "\n10:00:02 INFO wallet: %d -> ")
	case "typo": // one word that is in no list
		w := g.mnemonic(0, n)
		w[1+g.IntN(n-2)] = "qu" + g.from(alphabets["a"], 4) + "q"
		return strings.Join(w, " ")
	case "lost":
		w := g.mnemonic(0, n)
		i := 1 + g.IntN(n-2)
		return strings.Join(append(w[:i:i], w[i+1:]...), " ")
	case "numberedtypo":
		w := g.mnemonic(0, n)
		w[1+g.IntN(n-2)] = "qu" + g.from(alphabets["a"], 4) + "q"
		return joinNumbered(w, "\n%d. ")
	case "drawn": // whatever checksum it has, or none
		return strings.Join(g.phrase(listEnglish, n), " ")
	case "algorand":
		return strings.Join(g.algorand(), " ")
	case "monero":
		return strings.Join(g.monero(24), " ")
	case "electrumold":
		return joinNumbered(g.phrase(listElectrumOld, 12), "\n%d) ")
	case "badnumbers":
		w := g.secretNumbers()
		w[3] = w[3][:5] + string('0'+(w[3][5]-'0'+1)%9)
		return strings.Join(w, " ")
	case "french":
		return strings.Join(g.mnemonic(1, n), " ")
	case "spanish":
		return strings.Join(g.mnemonic(2, n), " ")
	case "japanese":
		return strings.Join(g.mnemonic(6, n), "\u3000")
	case "korean":
		return strings.Join(g.mnemonic(7, n), " ")
	case "chinese":
		return strings.Join(g.mnemonic(8, n), " ")
	case "uuid":
		h := hex.EncodeToString(g.bytes(16))
		return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
	case "basic":
		return base64.StdEncoding.EncodeToString([]byte("user:" + g.from(alphabets["an"], 12)))
	case "b58addr":
		for {
			if s := encode58(bitcoinAlphabet, g.bytes(32)); len(s) == 44 {
				return s
			}
		}
	}
	alphabet, ok := alphabets[name]
	if !ok {
		return ""
	}
	return g.from(alphabet, n)
}

var slot = regexp.MustCompile(`<([A-Za-z0-9]+)(?::(\d+|[a-z0-9]+|[ -]))?>`)

// expand fills the slots of an example.
func (g gen) expand(example string) string {
	return slot.ReplaceAllStringFunc(example, func(s string) string {
		m := slot.FindStringSubmatch(s)
		n, err := strconv.Atoi(m[2])
		if err != nil && m[2] != "" {
			if v := g.layout(m[1], m[2]); v != "" {
				return v
			}
			if v := g.spelling(m[1], m[2]); v != "" {
				return v
			}
			return s
		}
		if v := g.value(m[1], n); v != "" {
			return v
		}
		if v := g.spelling(m[1], ""); v != "" {
			return v
		}
		return s
	})
}

// cut returns an example's text, and what must be left of it.
func (g gen) cut(example string) (text, want string) {
	full := g.expand(example)
	text = strings.NewReplacer("«", "", "»", "").Replace(full)
	var b strings.Builder
	for {
		i := strings.Index(full, "«")
		if i < 0 {
			break
		}
		j := strings.Index(full, "»")
		b.WriteString(full[:i])
		b.WriteString(Marker)
		full = full[j+len("»"):]
	}
	b.WriteString(full)
	return text, b.String()
}

func doubleSHA(b []byte) [32]byte {
	sum := sha256.Sum256(b)
	return sha256.Sum256(sum[:])
}
