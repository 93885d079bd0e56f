package scrubber

import (
	"encoding/hex"
	"math/big"
	"strings"
	"testing"

	"golang.org/x/crypto/sha3"
)

func keccak(parts ...string) string {
	h := sha3.NewLegacyKeccak256()
	for _, part := range parts {
		h.Write([]byte(part))
	}
	return string(h.Sum(nil))
}

func unhex(t *testing.T, digits string) string {
	t.Helper()
	b, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// makeConstant makes a value in the way that its line says.
func makeConstant(t *testing.T, how, of string) string {
	t.Helper()
	minusOne := func(hash string) string {
		n := new(big.Int).SetBytes([]byte(hash))
		return string(n.Sub(n, big.NewInt(1)).FillBytes(make([]byte, 32)))
	}
	switch how {
	case "keccak":
		return keccak(of)
	case "minus1":
		return minusOne(keccak(of))
	case "erc7201":
		return keccak(minusOne(keccak(of)))[:31] + "\x00"
	}
	t.Fatalf("%s: unknown", how)
	return ""
}

// A constant that is wrong would let a key through, or damage what a standard says: each is made anew, stays, and its neighbour goes.
func TestPublishedConstants(t *testing.T) {
	s := newScrubber(t)
	n := 0
	for line := range strings.Lines(constantLines) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		n++
		value, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		how, of, _ := strings.Cut(rest, " ")
		if how == "create2" {
			part := strings.Fields(of)
			address := keccak("\xff", unhex(t, part[0]), unhex(t, value), unhex(t, part[1]))[12:]
			if hex.EncodeToString([]byte(address)) != part[2] {
				t.Errorf("%s isn't the salt of %s", value, part[2])
			}
		} else if made := hex.EncodeToString([]byte(makeConstant(t, how, of))); made != value {
			t.Errorf("%s is %s, not %s", of, made, value)
		}
		for _, form := range []string{"0x%", "slot 0x% holds it", "\"topics\": [\"0x%\"]", "privateKey: 0x%", "bytes32 constant X = 0x%;"} {
			for _, v := range []string{value, strings.ToUpper(value)} {
				if text := strings.ReplaceAll(form, "%", v); s.Text(text) != text {
					t.Errorf("%q became %q", text, s.Text(text))
				}
			}
			neighbour := value[:63] + string("0123456789abcdef"[(strings.IndexByte("0123456789abcdef", value[63])+1)%16])
			if text := strings.ReplaceAll(form, "%", neighbour); strings.Contains(s.Text(text), neighbour) {
				t.Errorf("%q stays, one digit beside %s", text, of)
			}
		}
	}
	t.Logf("%d constants", n)
}

// Zero and what is not below the curve's order are no keys; one less is.
func TestNumbersBeyondTheCurve(t *testing.T) {
	s := newScrubber(t)
	last := curveOrder[:63] + "0"
	for digits, kept := range map[string]bool{
		strings.Repeat("0", 64): true, strings.Repeat("f", 64): true, strings.Repeat("F", 64): true, curveOrder: true, last: false,
		strings.Repeat("0", 63) + "1": false, curveOrder[:63] + "2": true,
	} {
		text := "value 0x" + digits + "."
		if got := s.Text(text); (got == text) != kept {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// The six patterns to the letter take them all the same.
func TestLiteralPatternsKnowNoConstants(t *testing.T) {
	s := New(Config{Literal: true})
	for _, text := range []string{"0x" + strings.Repeat("0", 64), "0x" + hex.EncodeToString([]byte(keccak("MINTER_ROLE"))), "signTransactionMessageWithSigners"} {
		if got := s.Text(text); got != Marker {
			t.Errorf("%q became %q", text, got)
		}
	}
}
