package tokens

import (
	"math/big"
	"regexp"
	"strings"
	"testing"
)

// oldForm returns a token as they were before they carried a key, with these 34 characters.
func oldForm(body string) string {
	return head + body + padded(big.NewInt(int64(checksum(body))).Text(36), checksumLength)
}

const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"

func TestMintedTokensAreReadBack(t *testing.T) {
	form := regexp.MustCompile(`^agl-[a-z0-9]{40}$`) // as the scrubber knows it
	seen := map[string]bool{}
	for range 10_000 {
		token := mustMint(t)
		if key, ok := Read(token); !form.MatchString(token) || !ok || key != accountKey || seen[token] {
			t.Fatalf("a token came twice, or is not read as ours: key %q", key)
		}
		seen[token] = true
	}
	for _, key := range []string{"", accountKey[1:], accountKey + "0", strings.ToUpper(accountKey), strings.Repeat("-", keyLength)} {
		if _, err := Mint(key); err == nil {
			t.Errorf("a token was made of an account with the key %q", key)
		}
	}
}

func TestTokensOfBeforeTheyCarriedAKeyAreRead(t *testing.T) {
	for _, body := range []string{strings.Repeat("0", bodyLength), mustMint(t)[len(head) : len(head)+bodyLength]} {
		if key, ok := Read(oldForm(body)); !ok || key != "" {
			t.Errorf("Read says %q, %v", key, ok)
		}
	}
}

// Chi-squared over the random characters: taking bytes modulo 36 without rejection gives several hundred here.
func TestMintIsUnbiased(t *testing.T) {
	const tokens = 20_000
	var seen [256]float64
	for range tokens {
		for _, c := range []byte(mustMint(t)[len(head)+keyLength : len(head)+bodyLength]) {
			seen[c]++
		}
	}
	expected, chi := float64(tokens*secretLength)/36, 0.0
	for _, c := range []byte(alphabet) {
		chi += (seen[c] - expected) * (seen[c] - expected) / expected
	}
	if chi > 100 { // 35 degrees of freedom: above 100 once in 50 million runs
		t.Errorf("chi-squared is %.0f, want about 35", chi)
	}
}

func TestChecksumPrimeIsTheLargestThatFits(t *testing.T) {
	for n := int64(36*36*36*36*36*36) - 1; n > checksumPrime; n-- {
		if big.NewInt(n).ProbablyPrime(20) {
			t.Fatalf("%d is a larger prime below 36^6", n)
		}
	}
	if !big.NewInt(checksumPrime).ProbablyPrime(20) {
		t.Fatal("not a prime: the promises of the checksum don't hold")
	}
}

// Every one of the single-character errors and adjacent transpositions, not a sample, in both forms.
func TestTypingErrorsAreFound(t *testing.T) {
	for range 10 {
		minted := mustMint(t)
		for _, token := range []string{minted, oldForm(minted[len(head) : len(head)+bodyLength])} {
			for i := len(head); i < len(token); i++ {
				for _, c := range alphabet {
					if wrong := token[:i] + string(c) + token[i+1:]; wrong != token && isRead(wrong) {
						t.Fatalf("a wrong character at %d passes", i)
					}
				}
				if i+1 < len(token) && token[i] != token[i+1] && isRead(token[:i]+token[i+1:i+2]+token[i:i+1]+token[i+2:]) {
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
		"checksum too big": head + strings.Repeat("0", bodyLength) + "zzzzzh", // the prime itself: zero once more
	} {
		if isRead(wrong) {
			t.Errorf("%s: accepted", name)
		}
	}
}

func isRead(token string) bool {
	_, ok := Read(token)
	return ok
}
