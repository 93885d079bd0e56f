package main

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"agentlore/enginetest"
	"agentlore/lore"
	"agentlore/tokens"
)

// leak is something that must never be stored, with the type under which its removal is reported.
type leak struct{ kind, value string }

// leaks are the six kinds of the specification, made when the test runs: none of them stands in the source.
func leaks(t *testing.T) []leak {
	t.Helper()
	const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	random := make([]byte, 96)
	if _, err := rand.Read(random); err != nil {
		t.Fatal(err)
	}
	seed := []byte("s")
	for _, b := range random[:28] {
		seed = append(seed, base58[int(b)%len(base58)])
	}
	token, err := tokens.Mint(lore.AccountKey("somebody"))
	if err != nil {
		t.Fatal(err)
	}
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	return []leak{
		{"ledger_seed", string(seed)},
		{"ledger_key", "ED" + strings.ToUpper(hex.EncodeToString(random[32:64]))},
		{"eth_key", "0x" + hex.EncodeToString(random[64:96])},
		{"jwt", part(`{"alg":"none"}`) + "." + part(fmt.Sprintf(`{"sub":"%x"}`, random[:4])) + "." + part("signature")[:8]},
		{"service_token", token},
		{"email", fmt.Sprintf("agent.%x", random[:4]) + "@" + "mail.example.org"},
	}
}

// short leaves out what is longer than a tag or an ecosystem may be.
func short(secrets []leak) []leak {
	return slices.DeleteFunc(slices.Clone(secrets), func(s leak) bool { return len(s.value) > 64 })
}

// sentence puts secrets between words.
func sentence(secrets []leak) string {
	words := []string{"Before"}
	for i, s := range secrets {
		words = append(words, fmt.Sprintf("item %d", i), s.value, "and then")
	}
	return strings.Join(append(words, "after."), " ")
}

// removedFrom lists what a report must say of a field that held the secrets.
func removedFrom(field string, secrets []leak) []string {
	var lines []string
	for _, s := range secrets {
		lines = append(lines, field+" "+s.kind)
	}
	return lines
}

// wantReport fails unless the report says exactly what was removed from where.
func wantReport(t *testing.T, got report, want []string) {
	t.Helper()
	var lines []string
	for _, removed := range got.Removed {
		lines = append(lines, removed.Field+" "+removed.Type)
		if removed.Count != 1 {
			t.Errorf("%s %s is counted %d times, want once", removed.Field, removed.Type, removed.Count)
		}
	}
	slices.Sort(lines)
	slices.Sort(want)
	if !slices.Equal(lines, want) {
		t.Errorf("the report says\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if !got.Changed || got.Message == "" {
		t.Errorf("changed is %v and the message %q: the submitter isn't told", got.Changed, got.Message)
	}
}

// wantNoTrace fails if a secret, whole or lowercased or its middle, is in a text.
func wantNoTrace(t *testing.T, where, text string, secrets []leak) {
	t.Helper()
	lower := strings.ToLower(text)
	for _, s := range secrets {
		if strings.Contains(lower, strings.ToLower(s.value)) {
			t.Errorf("%s holds the %s", where, s.kind)
			continue
		}
		if middle := strings.ToLower(s.value[4:20]); strings.Contains(lower, middle) {
			t.Errorf("%s holds a part of the %s", where, s.kind)
		}
	}
}

func TestSecretsAreGoneFromAnswerStoreAndLog(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	me := s.register(t, "scrub-watcher")
	secrets := leaks(t)
	tags := []string{"Fine"}
	var want []string
	for i, s := range short(secrets) {
		tags = append(tags, s.value)
		want = append(want, removedFrom(fmt.Sprintf("tags[%d]", i+1), []leak{s})...)
	}
	// The ecosystem holds one at a time: the field is short. An address is refused there: it is no name.
	for _, inEcosystem := range short(secrets) {
		if inEcosystem.kind == "email" {
			continue
		}
		body := map[string]any{
			"summary": sentence(secrets[:4]), "category": "security", "content": sentence(secrets), "resolution": "For " + inEcosystem.kind + ": " + sentence(secrets),
			"tags": tags, "ecosystem": inEcosystem.value,
		}
		want := append(slices.Clone(want), removedFrom("summary", secrets[:4])...)
		want = append(want, removedFrom("content", secrets)...)
		want = append(want, removedFrom("resolution", secrets)...)
		want = append(want, removedFrom("ecosystem", []leak{inEcosystem})...)
		answered := s.send(t, "POST", "/intake/submit", body, append(me.bearer(), "Idempotency-Key", "key-"+inEcosystem.kind)...).want(t, 201)
		stored := decode[submitted](t, answered)
		wantReport(t, stored.Scrubbing, want)
		wantNoTrace(t, "the answer", string(answered.body), secrets)
		wantNoTrace(t, "the stored item", string(s.get(t, "/submissions/"+stored.ID).want(t, 200).body), secrets)

		read := decode[map[string]any](t, s.get(t, "/submissions/"+stored.ID).want(t, 200))
		if read["ecosystem"] != "[SCRUBBED]" {
			t.Errorf("the ecosystem is %q", read["ecosystem"])
		}
		if got := fmt.Sprint(read["tags"]); got != "[fine [SCRUBBED]]" {
			t.Errorf("tags are %s, want the marker once, in its case", got)
		}
		if got, want := fmt.Sprint(read["content"]), "Before item 0 [SCRUBBED] and then"; !strings.HasPrefix(got, want) {
			t.Errorf("the content is %q, want what is no secret as it was", got)
		}
	}
	// What grew by the marker over a field's limit is stored all the same.
	mail := func(i int) string { return fmt.Sprintf("a%d@b.io", i) }
	var crowd []string
	for i := range 62 {
		crowd = append(crowd, mail(i%10))
	}
	summary := strings.Join(crowd, " ") // 495 characters; each address is shorter than the marker
	if grown := s.submit(t, me, observation(summary)); !grown.Scrubbing.Changed {
		t.Error("a summary full of addresses was not changed")
	}
	wantNoTrace(t, "Elasticsearch", enginetest.Everything(t, s.prefix), secrets)
	wantNoTrace(t, "the log", s.log.String(), secrets)
	if strings.Contains(enginetest.Everything(t, s.prefix), "@b.io") {
		t.Error("Elasticsearch holds an address of the crowd")
	}
}

func TestRegistrationIsScrubbed(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	secrets := leaks(t)
	for i, of := range secrets {
		body := map[string]any{
			"name": fmt.Sprintf("scrubbed-%d", i), "type": "bot", "owner": of.value, "description": sentence(secrets),
			"ecosystem": []string{"ethereum"},
		}
		want := append(removedFrom("owner", []leak{of}), removedFrom("description", secrets)...)
		if len(of.value) <= 64 && of.kind != "email" { // an address is refused there: it is no name
			body["ecosystem"] = []string{"ethereum", of.value}
			want = append(want, "ecosystem[1] "+of.kind)
		}
		answered := s.send(t, "POST", "/intake/register", body).want(t, 201)
		got := decode[registered](t, answered)
		if got.Scrubbing == nil {
			t.Fatalf("a registration with secrets answered no report: %s", answered.body)
		}
		wantReport(t, *got.Scrubbing, want)
		wantNoTrace(t, "the answer", string(answered.body), secrets)
	}

	// A name is public for ever: it is refused, by both ways in, and not echoed.
	for _, of := range short(secrets) {
		for path, body := range map[string]map[string]any{
			"/intake/register": {"name": of.value, "type": "agent", "owner": "alice"},
			"/intake/connect":  {"name": of.value, "type": "agent"},
		} {
			refused := s.send(t, "POST", path, body)
			wantProblem(t, refused, 422, "secret_in_identity", "/name")
			wantNoTrace(t, "the refusal", string(refused.body), secrets)
		}
	}
	sources := decode[page](t, s.get(t, "/sources").want(t, 200))
	if sources.Total > int64(len(secrets)) {
		t.Errorf("%d sources are stored: a refused name was taken", sources.Total)
	}
	wantNoTrace(t, "Elasticsearch", enginetest.Everything(t, s.prefix), secrets)
	wantNoTrace(t, "the log", s.log.String(), secrets)
	for _, key := range enginetest.Keys(t, enginetest.RedisURL(t), s.prefix) {
		wantNoTrace(t, "Redis", key, secrets)
	}
}

// A secret that fails validation is refused and neither echoed nor logged: what is too long is not scrubbed first.
func TestRefusedSecretsLeaveNoTrace(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	me := s.register(t, "refused-secrets")
	secrets := leaks(t)
	for _, of := range secrets {
		filler := strings.Repeat("x", 600)
		for name, answered := range map[string]answer{
			"long summary":  s.send(t, "POST", "/intake/submit", observation(of.value+" "+filler), me.bearer()...),
			"bad category":  s.send(t, "POST", "/intake/submit", map[string]any{"summary": "x", "category": of.value}, me.bearer()...),
			"unknown field": s.send(t, "POST", "/intake/submit", map[string]any{"summary": "x", "category": "general", of.value: 1}, me.bearer()...),
			"long tag":      s.send(t, "POST", "/intake/submit", map[string]any{"summary": "x", "category": "general", "tags": []string{of.value + filler}}, me.bearer()...),
			"wrong type":    s.send(t, "POST", "/intake/submit", map[string]any{"summary": []string{of.value}, "category": "general"}, me.bearer()...),
			"broken JSON":   s.send(t, "POST", "/intake/submit", `{"summary": "`+of.value, me.bearer()...),
			"key":           s.send(t, "POST", "/intake/submit", observation("x"), append(me.bearer(), "Idempotency-Key", of.value)...),
			"token":         s.send(t, "POST", "/intake/submit", observation("x"), "Authorization", "Bearer "+of.value),
			"path":          s.get(t, "/"+of.value),
			"id":            s.get(t, "/submissions/"+of.value),
			"query name":    s.get(t, "/submissions?"+of.value+"=1"),
			"query value":   s.get(t, "/submissions?category="+url.QueryEscape(of.value)),
			"cursor":        s.get(t, "/submissions?cursor="+url.QueryEscape(of.value)),
		} {
			if answered.status < 400 || answered.status >= 500 {
				t.Errorf("%s in %s: status %d, want a refusal", of.kind, name, answered.status)
			}
			wantNoTrace(t, name, string(answered.body)+fmt.Sprint(answered.header), secrets)
		}
	}
	// Not refused, but not logged either: a search for a secret, and a request id that is none of ours.
	for _, of := range secrets {
		s.get(t, "/search/all?q="+url.QueryEscape(of.value)).want(t, 200)
		answered := s.get(t, "/health", "X-Request-ID", of.value, "User-Agent", of.value)
		wantNoTrace(t, "the headers", fmt.Sprint(answered.header), secrets)
	}
	wantNoTrace(t, "the log", s.log.String(), secrets)
}
