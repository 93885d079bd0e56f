package main

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"math/big"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"agentlore/enginetest"
)

// leakingSubmits is how many leaking submissions the test sends: enough that group commit, idempotency records and
// duplicate look-ups all meet secrets.
const leakingSubmits = 1000

const (
	base36  = "0123456789abcdefghijklmnopqrstuvwxyz"
	base58  = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	base62  = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	letters = "abcdefghijklmnopqrstuvwxyz"
)

// pick returns random characters of an alphabet.
func pick(alphabet string, length int) string {
	text := make([]byte, length)
	for i := range text {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(alphabet))))
		if err != nil {
			panic(err)
		}
		text[i] = alphabet[n.Int64()]
	}
	return string(text)
}

// planted is a secret in the words around it, and the random part of it that must be found nowhere.
type planted struct{ text, core string }

// plant returns a secret of the i-th kind, made when the test runs. The cores are of high entropy, so that a piece of
// one in an answer or a document is a leak and no accident.
func plant(i int) planted {
	digits := make([]byte, 32)
	if _, err := rand.Read(digits); err != nil {
		panic(err)
	}
	key := hex.EncodeToString(digits)
	kinds := []func() planted{
		func() planted { c := pick(base58, 28); return planted{"seed s" + c + " of the wallet", c} },
		func() planted { return planted{"key ED" + strings.ToUpper(key), strings.ToUpper(key)} },
		func() planted { return planted{"signed with 0x" + key + ".", key} },
		func() planted {
			c := pick(base62, 40)
			return planted{"cookie eyJ" + pick(base62, 20) + "." + c + "." + pick(base62, 30), c}
		},
		func() planted { c := pick(base36, 40); return planted{"token agl-" + c, c} },
		func() planted { c := pick(letters, 24); return planted{"ask " + c + "@" + "example.org", c} },
		func() planted { c := pick(base62, 36); return planted{"GITHUB=ghp" + "_" + c, c} },
		func() planted {
			c := pick(base62, 24)
			return planted{"postgres://svc:" + c + "@db.internal:5432/x", c}
		},
		func() planted { return planted{"private_key = " + key, key} },
		func() planted { c := pick(base62, 40); return planted{"Authorization: Bearer " + c, c} },
		func() planted { c := key[:32]; return planted{"https://mainnet.infura.io/v3/" + c, c} },
		func() planted {
			c := pick(base62, 64)
			return planted{"-----BEGIN PRIVATE" + " KEY-----\n" + c + "\n-----END PRIVATE" + " KEY-----", c}
		},
		func() planted { c := pick(base58, 28); return planted{"in 's\u200b" + c + "'", c} },                 // a zero-width space inside
		func() planted { return planted{"nested {\\\"k\\\":\\\"0x" + key + "\\\"}", key} },                   // JSON within JSON
		func() planted { c := pick(letters, 24); return planted{"percent " + c + "%40" + "example.org", c} }, // percent-encoded
	}
	return kinds[i%len(kinds)]()
}

// transcript collects every answer.
type transcript struct {
	mu   sync.Mutex
	text strings.Builder
}

func (tr *transcript) add(answers ...answer) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for _, a := range answers {
		fmt.Fprintln(&tr.text, a.header, string(a.body))
	}
}

// pieces returns the parts of all cores that must be found nowhere, with the number of the secret. Six bytes long where
// they mix both cases; ids, hashes, tokens and times are full of short hex and lowercase pieces by accident, so that
// these are twelve and eight long. Lowercase forms are there because tags and ecosystems are stored in lowercase.
func pieces(secrets []planted) map[string]int {
	all := map[string]int{}
	add := func(secret int, core string, length int) {
		for at := 0; at+length <= len(core); at++ {
			piece := core[at : at+length]
			lower := strings.ToLower(piece)
			onlyHex := strings.Trim(lower, "0123456789abcdef") == ""
			mixed := piece != lower && piece != strings.ToUpper(piece)
			if length == 12 || !onlyHex && (length == 8 || mixed) {
				all[piece] = secret
			}
		}
	}
	for i, secret := range secrets {
		lower := strings.ToLower(secret.core)
		add(i, secret.core, 6)
		add(i, lower, 8)
		add(i, lower, 12)
	}
	return all
}

// TestNothingLeakedIsAnywhere leaks by every way in, failing requests too, and then looks for pieces of the
// secrets in everything that Elasticsearch and Redis hold, that was logged and that was answered.
func TestNothingLeakedIsAnywhere(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	me := s.register(t, "leaking-agent")
	first := s.submit(t, me, observation("An item to flag"))
	var answers transcript
	secrets := make([]planted, leakingSubmits)

	inParallel(leakingSubmits, 64, func(i int) {
		secrets[i] = plant(i)
		text := secrets[i].text
		body := map[string]any{"summary": fmt.Sprintf("Report %d", i), "category": "failure"}
		switch i % 5 {
		case 0:
			body["summary"] = fmt.Sprintf("Report %d: %s", i, text)
		case 1:
			body["content"] = strings.Repeat("Context. ", i%50) + text
		case 2:
			body["resolution"] = "Do not use " + text
		case 3:
			body["content"], body["resolution"] = text, text
		case 4:
			if len(text) <= 64 {
				body["tags"] = []string{"wallet", text}
			} else {
				body["content"] = text
			}
		}
		headers := me.bearer()
		if i%10 == 0 {
			headers = append(headers, "Idempotency-Key", fmt.Sprintf("key-%d", i))
		}
		got := s.send(t, "POST", "/intake/submit", body, headers...)
		if got.status != 201 {
			t.Errorf("submission %d: %d %.300s", i, got.status, got.body)
		} else if !strings.Contains(string(got.body), `"changed":true`) {
			t.Errorf("submission %d (kind %d): nothing was reported as removed", i, i%15)
		}
		answers.add(got)
	})

	for i := range 60 {
		secret, token := plant(i), pick(base36, 40)
		secrets = append(secrets, secret, planted{core: token})
		flat := strings.ReplaceAll(secret.text, "\n", " ")
		answers.add(
			s.send(t, "POST", "/intake/register", map[string]any{"name": fmt.Sprintf("agent-%d", i), "type": "bot", "owner": flat[:min(len(flat), 128)], "description": secret.text}),
			s.send(t, "POST", "/intake/register", map[string]any{"name": flat, "type": "bot", "owner": "x"}),
			s.send(t, "POST", "/intake/connect", map[string]any{"name": flat, "type": "bot"}),
			s.send(t, "POST", "/intake/suggest", map[string]any{"kind": "feature", "summary": fmt.Sprintf("Idea %d %s", i, flat), "content": secret.text}, me.bearer()...),
			s.send(t, "POST", "/intake/flag", map[string]any{
				"target": map[string]any{"collection": "submissions", "id": first.ID}, "reason": []string{"stale", "incorrect", "spam"}[i%3], "note": secret.text,
			}, me.bearer()...),
			// Requests that fail, each on another way.
			s.send(t, "POST", "/intake/submit", `{"summary":"`+flat, me.bearer()...),
			s.send(t, "POST", "/intake/submit", map[string]any{"summary": "x", "category": flat}, me.bearer()...),
			s.send(t, "POST", "/intake/submit", map[string]any{"summary": "x", "category": "failure", flat: 1}, me.bearer()...),
			s.send(t, "POST", "/intake/submit", map[string]any{"summary": strings.Repeat(secret.text, 60), "category": "failure"}, me.bearer()...),
			s.send(t, "POST", "/intake/submit", observation("x"), "Authorization", "Bearer "+secret.core),
			s.send(t, "POST", "/intake/submit", observation("x"), append(me.bearer(), "Idempotency-Key", flat[:min(len(flat), 128)], "X-Request-ID", "agl-"+token)...),
			s.get(t, "/search/all?q="+url.QueryEscape(secret.text)),
			s.get(t, "/search/all?explain=true&q="+url.QueryEscape("a raport of "+secret.text)), // did_you_mean repeats q
			s.get(t, "/search/all?"+url.QueryEscape(flat)+"=1"),
			s.get(t, "/submissions?entity="+url.QueryEscape(secret.core)),
			s.get(t, "/submissions?cursor="+url.QueryEscape(secret.core)),
			s.get(t, "/submissions/"+url.PathEscape(secret.core)),
			s.get(t, "/"+url.PathEscape(flat)),
		)
	}

	places := map[string]string{
		"Elasticsearch": enginetest.Everything(t, s.prefix), "the log": s.log.String(), "/metrics": s.metrics(t), "an answer": answers.text.String(),
		"Redis": strings.Join(enginetest.Dump(t, os.Getenv("REDIS_URL"), s.prefix), "\n"),
	}
	wanted := pieces(secrets)
	for where, text := range places {
		found := map[int]bool{}
		for _, form := range []string{text, strings.ToLower(text)} {
			for at := range form {
				for _, length := range []int{6, 8, 12} {
					if at+length > len(form) {
						continue
					}
					if secret, known := wanted[form[at:at+length]]; known && !found[secret] {
						found[secret] = true
						t.Errorf("%s holds %q of secret %d, %q: …%q…", where, form[at:at+length], secret, secrets[secret].text, form[max(0, at-100):min(at+100, len(form))])
					}
				}
			}
		}
	}
}
