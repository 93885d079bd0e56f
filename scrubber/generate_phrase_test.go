package scrubber

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"strings"
)

func listWords(list int) []string { return words().words[list] }

// mnemonic draws n words with a valid checksum and at least eight distinct ones.
func (g gen) mnemonic(list, n int) []string {
	all := listWords(list)
	entropy := g.bytes(n * 4 / 3)
	sum := sha256.Sum256(entropy)
	bits := append(append([]byte(nil), entropy...), sum[0])
	words := make([]string, n)
	for i := range words {
		v := 0
		for k := range 11 {
			bit := i*11 + k
			v = v<<1 | int(bits[bit/8]>>(7-bit%8)&1)
		}
		words[i] = all[v]
	}
	return words
}

// phrase draws n words of a list.
func (g gen) phrase(list, n int) []string {
	drawn := make([]string, n)
	for i := range drawn {
		drawn[i] = listWords(list)[g.IntN(len(listWords(list)))]
	}
	return drawn
}

// algorand writes 32 bytes and the head of their digest in words, as the Algorand SDKs do.
func (g gen) algorand() []string {
	all, key := words().words[listEnglish], g.bytes(32)
	sum := sha512.Sum512_256(key)
	split := func(b []byte) (words []string) {
		acc, bits := 0, 0
		for _, c := range b {
			acc |= int(c) << bits
			if bits += 8; bits >= 11 {
				words = append(words, all[acc&2047])
				acc, bits = acc>>11, bits-11
			}
		}
		if bits > 0 {
			words = append(words, all[acc])
		}
		return words
	}
	return append(split(key), split(sum[:2])[0])
}

// monero draws n words and repeats the one that the CRC of their heads tells.
func (g gen) monero(n int) []string {
	drawn := g.phrase(listMonero, n)
	heads := ""
	for _, w := range drawn {
		heads += w[:3]
	}
	return append(drawn, drawn[crc32.ChecksumIEEE([]byte(heads))%uint32(n)])
}

// joinNumbered writes between the words what a format makes of the number of the next.
func joinNumbered(words []string, format string) string {
	out := words[0]
	for i, w := range words[1:] {
		out += fmt.Sprintf(format, i+2) + w
	}
	return out
}

// secretNumbers draws the eight groups of an XRP ledger secret.
func (g gen) secretNumbers() (groups []string) {
	for place := range 8 {
		v := g.IntN(1 << 16)
		groups = append(groups, fmt.Sprintf("%05d%d", v, v*(2*place+1)%9))
	}
	return groups
}

// layout makes what <name:how> stands for.
func (g gen) layout(name, how string) string {
	switch name {
	case "numbers":
		w := g.secretNumbers()
		switch how {
		case "lettered":
			out := w[0]
			for i, x := range w[1:] {
				out += fmt.Sprintf("\n%c. %s", 'B'+i, x)
			}
			return out
		case "table":
			return strings.Join(w, " |\n| ")
		case "quoted":
			return strings.Join(w, "\", \"")
		case "glued":
			return strings.Join(w, "")
		case "lines":
			return joinNumbered(w, "\nrow %d: ")
		case "members":
			out := w[0]
			for i, x := range w[1:] {
				out += fmt.Sprintf("\", \"%c\": \"%s", 'B'+i, x)
			}
			return out
		case "columns":
			return fmt.Sprintf("%s  %s\n%s  %s\n%s  %s\n%s  %s", w[0], w[4], w[1], w[5], w[2], w[6], w[3], w[7])
		}
		return strings.Join(w, how)
	case "der", "derlines", "derquoted", "derhex":
		b := g.der(how)
		if name == "derhex" {
			return hex.EncodeToString(b)
		}
		s := base64.StdEncoding.EncodeToString(b)
		if name == "der" {
			return s
		}
		sep := "\n"
		if name == "derquoted" {
			sep = "\n> "
		}
		out := ""
		for len(s) > 64 {
			out, s = out+s[:64]+sep, s[64:]
		}
		return out + s
	}
	return ""
}
