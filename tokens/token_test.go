package tokens

import (
	"math/big"
	"regexp"
	"strings"
	"testing"
)

func mustMint(tb testing.TB) string {
	tb.Helper()
	token, err := Mint()
	if err != nil {
		tb.Fatal(err)
	}
	return token
}

func TestMintedTokensHaveTheFormThatTheScrubberKnows(t *testing.T) {
	form := regexp.MustCompile(`^agl-[a-z0-9]{40}$`)
	seen := map[string]bool{}
	for range 10_000 {
		token := mustMint(t)
		if !form.MatchString(token) || !WellFormed(token) || seen[token] {
			t.Fatalf("a token that is not ours, or came twice")
		}
		seen[token] = true
	}
}

// Chi-squared over the random characters: taking bytes modulo 36 without rejection gives about 1,000 here.
func TestMintIsUnbiased(t *testing.T) {
	const tokens = 20_000
	var seen [256]float64
	for range tokens {
		for _, c := range []byte(mustMint(t)[len(head) : len(head)+randomLength]) {
			seen[c]++
		}
	}
	expected, chi := float64(tokens*randomLength)/36, 0.0
	for _, c := range []byte(alphabet) {
		chi += (seen[c] - expected) * (seen[c] - expected) / expected
	}
	if chi > 100 { // 35 degrees of freedom: above 100 once in 50 million runs
		t.Errorf("chi-squared is %.0f, want about 35", chi)
	}
}

func TestChecksumPrimeIsTheLargestThatFits(t *testing.T) {
	limit := int64(36 * 36 * 36 * 36 * 36 * 36)
	for n := limit - 1; n > checksumPrime; n-- {
		if big.NewInt(n).ProbablyPrime(20) {
			t.Fatalf("%d is a larger prime below 36^6", n)
		}
	}
	if !big.NewInt(checksumPrime).ProbablyPrime(20) {
		t.Fatal("not a prime: the promises of the checksum don't hold")
	}
}

// Every one of the single-character errors and adjacent transpositions, not a sample.
func TestTypingErrorsAreFound(t *testing.T) {
	for range 20 {
		token := mustMint(t)
		for i := len(head); i < len(token); i++ {
			for _, c := range alphabet {
				if wrong := token[:i] + string(c) + token[i+1:]; wrong != token && WellFormed(wrong) {
					t.Fatalf("a wrong character at %d passes", i)
				}
			}
			if i+1 < len(token) && token[i] != token[i+1] {
				if WellFormed(token[:i] + token[i+1:i+2] + token[i:i+1] + token[i+2:]) {
					t.Fatalf("a transposition at %d passes", i)
				}
			}
		}
	}
}

func TestOtherFormsAreRefused(t *testing.T) {
	token := mustMint(t)
	for name, wrong := range map[string]string{
		"empty":            "",
		"short":            token[:len(token)-1],
		"long":             token + "0",
		"leading space":    " " + token[:len(token)-1],
		"upper case":       strings.ToUpper(token),
		"other prefix":     "agx" + token[3:],
		"no hyphen":        "agl_" + token[4:],
		"not ASCII":        token[:len(token)-2] + "é",
		"NUL":              token[:20] + "\x00" + token[21:],
		"checksum too big": head + strings.Repeat("0", randomLength) + "zzzzzh", // the prime itself: zero once more
	} {
		if WellFormed(wrong) {
			t.Errorf("%s: accepted", name)
		}
	}
	if !WellFormed(head + strings.Repeat("0", randomLength+checksumLength)) {
		t.Error("zero with checksum zero is refused")
	}
}

func FuzzWellFormed(f *testing.F) {
	f.Add("")
	f.Add(head + strings.Repeat("0", 40))
	f.Fuzz(func(t *testing.T, text string) {
		if WellFormed(text) && !regexp.MustCompile(`^agl-[a-z0-9]{40}$`).MatchString(text) {
			t.Errorf("%q is accepted", text)
		}
	})
}
