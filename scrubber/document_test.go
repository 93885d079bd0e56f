package scrubber

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// note is a small document, as the domain types are.
type note struct {
	ID      string   `json:"id" scrub:"-"`
	Summary string   `json:"summary"`
	Content string   `json:"content,omitempty"`
	Tags    noteTags `json:"tags"`
	explode bool
}

type noteTags []string

func (n *note) Normalise() {
	if n.explode {
		panic("boom " + n.Content)
	}
	seen := map[string]bool{}
	n.Tags = slices.DeleteFunc(n.Tags, func(tag string) bool { return strings.TrimSpace(tag) == "" })
	for i, tag := range n.Tags {
		if !strings.Contains(tag, Marker) {
			n.Tags[i] = strings.ToLower(strings.TrimSpace(tag))
		}
	}
	n.Tags = slices.DeleteFunc(n.Tags, func(tag string) bool { defer func() { seen[tag] = true }(); return seen[tag] })
}

func TestScrubReportsByFieldAndKind(t *testing.T) {
	g := newGen(1)
	s := newScrubber(t)
	key, mail := "0x"+g.from(alphabets["hex"], 64), "ann@example.org"
	tags := []string{"DeFi", "x", mail, key, "agl-" + g.from(alphabets["b36"], 40)}
	before := slices.Clone(tags)
	got, err := Scrub(context.Background(), s, note{ID: key, Summary: "leak " + key + " and " + key + "x", Content: "mail " + mail, Tags: tags})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(tags, before) {
		t.Errorf("the caller's slice was modified: %q", tags)
	}
	v := got.Value()
	if v.ID != key || v.Summary != "leak "+Marker+" and "+Marker+"x" || v.Content != "mail "+Marker || !slices.Equal(v.Tags, []string{"defi", "x", Marker}) {
		t.Errorf("got %+v", v)
	}
	want := []struct {
		field string
		kind  Kind
		count int
	}{{"content", KindEmail, 1}, {"summary", KindEthKey, 2}, {"tags[2]", KindEmail, 1}, {"tags[3]", KindEthKey, 1}, {"tags[4]", KindServiceToken, 1}}
	if len(got.Report().Removed) != len(want) {
		t.Fatalf("report %+v", got.Report())
	}
	for i, item := range got.Report().Removed {
		if item.Field != want[i].field || item.Type != want[i].kind || item.Count != want[i].count || item.Note == "" {
			t.Errorf("item %d: %+v", i, item)
		}
	}
	if n := got.Report().Counts(); n["eth_key"] != 3 || n["email"] != 2 || n["service_token"] != 1 {
		t.Errorf("counts %v", n)
	}
	data, _ := json.Marshal(got.Report())
	for i := 0; i+6 <= len(key); i++ {
		if strings.Contains(string(data), key[i:i+6]) {
			t.Fatalf("the report quotes the secret: %s", data)
		}
	}
}

// verdict and detail are what a document may hold beside strings and lists of them.
type verdict string

type detail struct {
	Said string `json:"said"`
	ID   string `json:"id" scrub:"-"`
}

// Text is text wherever it stands in a document: in a struct, behind a pointer, in a list of either, as a string of a type of its own. The
// caller's document stays what it was.
func TestNestedTextIsRead(t *testing.T) {
	type nested struct {
		Summary string         `json:"summary"`
		State   verdict        `json:"state"`
		First   detail         `json:"first"`
		Link    *detail        `json:"link"`
		Notes   []detail       `json:"notes"`
		Lists   [][]string     `json:"lists"`
		Counts  map[string]int `json:"counts"`
		At      time.Time      `json:"at"`
		Until   *time.Time     `json:"until"`
		Score   *float64       `json:"score"`
	}
	mail := "ann@example.org"
	given := nested{
		State: verdict(mail), First: detail{mail, mail}, Link: &detail{mail, mail}, Notes: []detail{{"fine", mail}, {mail, mail}}, Lists: [][]string{{"fine", mail}},
		Counts: map[string]int{"eth_key": 1},
	}
	got, err := Scrub(context.Background(), newScrubber(t), given)
	if err != nil {
		t.Fatal(err)
	}
	v := got.Value()
	if v.State != Marker || v.First.Said != Marker || v.Link.Said != Marker || v.Notes[0].Said != "fine" || v.Notes[1].Said != Marker || v.Lists[0][1] != Marker {
		t.Errorf("kept: %+v, link %+v", v, v.Link)
	}
	if v.First.ID != mail || v.Link.ID != mail || v.Notes[1].ID != mail {
		t.Error("a field that holds no text was changed")
	}
	if given.Link.Said != mail || given.Notes[1].Said != mail || given.Lists[0][1] != mail {
		t.Error("the caller's document was changed")
	}
	var fields []string
	for _, item := range got.Report().Removed {
		fields = append(fields, item.Field)
	}
	if want := []string{"first.said", "link.said", "lists[0][1]", "notes[1].said", "state"}; !slices.Equal(fields, want) {
		t.Errorf("reported %q", fields)
	}
	if _, err := Scrub(context.Background(), newScrubber(t), nested{Counts: map[string]int{mail: 1}}); !errors.Is(err, ErrFailed) {
		t.Errorf("a secret as a key: %v", err)
	}
}

// What can't be read is never stored unread.
func TestAKindThatCannotBeReadFailsTheDocument(t *testing.T) {
	for name, scrub := range map[string]func() error{
		"bytes":      func() error { return scrubOnly(t, struct{ Raw json.RawMessage }{}) },
		"anything":   func() error { return scrubOnly(t, struct{ Any any }{}) },
		"map":        func() error { return scrubOnly(t, struct{ Texts map[string]string }{}) },
		"deep":       func() error { return scrubOnly(t, struct{ List []struct{ Any *any } }{}) },
		"not a text": func() error { return scrubOnly(t, struct{ Call func() }{}) },
	} {
		if err := scrub(); !errors.Is(err, ErrFailed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := scrubOnly(t, struct {
		Raw json.RawMessage `scrub:"-"`
	}{}); err != nil {
		t.Errorf("said to hold no text: %v", err)
	}
}

func scrubOnly[T any](t *testing.T, document T) error {
	_, err := Scrub(context.Background(), newScrubber(t), document)
	return err
}

func TestCleanDocumentHasAnEmptyReport(t *testing.T) {
	got, err := Scrub(context.Background(), newScrubber(t), note{Summary: "Pools rebalance late", Tags: []string{"Amm"}})
	if err != nil {
		t.Fatal(err)
	}
	data, _ := json.Marshal(got.Report())
	if string(data) != `{"changed":false,"removed":[]}` {
		t.Errorf("report %s", data)
	}
}

// Secrets are cut in pieces: over tags, over fields, in one word a tag.
func TestSecretsSpreadOverFields(t *testing.T) {
	g := newGen(2)
	s := newScrubber(t)
	words := g.mnemonic(0, 12)
	key := "0x" + g.from(alphabets["hex"], 64)
	seed := g.seed()
	token := "agl-" + g.from(alphabets["b36"], 40)
	github := "ghp_" + g.from(alphabets["an"], 36)
	french := g.mnemonic(1, 24)
	for name, doc := range map[string]note{
		"mnemonic, one word a tag":      {Summary: "x", Tags: words},
		"mnemonic in summary, content":  {Summary: "seed: " + strings.Join(words[:7], " "), Content: strings.Join(words[7:], " ")},
		"french, over all fields":       {Summary: strings.Join(french[:8], " "), Content: strings.Join(french[8:16], " "), Tags: french[16:]},
		"key over tags":                 {Summary: "x", Tags: []string{"defi", key[:20], key[20:44], key[44:], "defi"}},
		"key over summary and content":  {Summary: "key " + key[:30], Content: key[30:]},
		"seed over tags":                {Summary: "x", Tags: []string{seed[:10], seed[10:]}},
		"service token over two fields": {Summary: token[:20], Content: token[20:] + "\nthat was it"},
		"github token over two fields":  {Summary: "leaked " + github[:19], Content: github[19:], Tags: []string{"ci"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Scrub(context.Background(), s, doc)
			if err != nil {
				t.Fatal(err)
			}
			v := got.Value()
			left := v.Summary + " " + v.Content + " " + strings.Join(v.Tags, " ")
			for _, piece := range []string{key[2:20], key[20:44], key[44:], seed[:10], seed[10:], token[4:20], token[20:], github[:19], github[19:]} {
				if strings.Contains(left, piece) {
					t.Errorf("left: %q", left)
				}
			}
			n := 0
			for _, w := range append(append([]string(nil), words...), french...) {
				if slices.Contains(strings.Fields(left), w) {
					n++
				}
			}
			if n > 1 {
				t.Errorf("%d words left: %q", n, left)
			}
			if !got.Report().Changed {
				t.Error("not reported")
			}
		})
	}
	kept := note{Summary: "Swap fails on 0x" + g.from(alphabets["hex"], 40), Content: "abandon the pool", Tags: []string{"able", "zoo", "defi", "wrong"}}
	if got, err := Scrub(context.Background(), s, kept); err != nil || got.Report().Changed {
		t.Errorf("harmless fields changed: %+v %v", got.Value(), err)
	}
}

func TestScrubFailsClosed(t *testing.T) {
	s := New(Config{})
	secret := "hunter2-" + strings.Repeat("q", 12)
	if got, err := Scrub(context.Background(), s, note{Content: secret + strings.Repeat("a", maxBytes)}); !errors.Is(err, ErrTooLarge) || got.Value().Content != "" {
		t.Errorf("too large: %v", err)
	}
	got, err := Scrub(context.Background(), s, note{Content: secret, explode: true})
	if !errors.Is(err, ErrFailed) || got.Value().Content != "" || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("panic: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got, err := Scrub(ctx, s, note{Content: secret}); !errors.Is(err, context.Canceled) || got.Value().Content != "" || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("cancelled: %v", err)
	}
	broken := newScrubber(t)
	broken.rules[0].find = func(*scan, int, int) { panic("boom") }
	if got, err := Scrub(context.Background(), broken, note{Content: strings.Repeat("x", 80)}); !errors.Is(err, ErrFailed) || got.Value().Content != "" ||
		broken.Clean(strings.Repeat("x", 80)) {
		t.Errorf("a rule that panics: %v", err)
	}
}

// Lowercasing in Normalise can make a token of what was none: what is stored is looked at once more.
func TestNormaliseCannotMakeASecret(t *testing.T) {
	got, err := Scrub(context.Background(), newScrubber(t), note{Tags: []string{"AGL-ABCDEF0123"}})
	if err != nil || !slices.Equal(got.Value().Tags, []string{Marker}) {
		t.Errorf("%q %v", got.Value().Tags, err)
	}
}

func TestLiteralModeTakesThePatternsAtTheirWord(t *testing.T) {
	s := New(Config{Literal: true})
	g := newGen(4)
	address := g.from(bitcoinAlphabet, 10) + "s" + g.from(bitcoinAlphabet, 33)
	if out, hits := s.text(address); !strings.Contains(out, Marker) || hits[0].kind != KindLedgerSeed {
		t.Errorf("%q kept", address)
	}
	if out, _ := newScrubber(t).text(address); out != address {
		t.Errorf("%q damaged without Literal", address)
	}
}

func TestConcurrentUse(t *testing.T) {
	s := newScrubber(t)
	g := newGen(6)
	text := "key 0x" + g.from(alphabets["hex"], 64) + " and " + strings.Join(g.mnemonic(0, 12), " ") + " mail a@b.example"
	want, _ := s.text(text)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 200 {
				if got, _ := s.text(text); got != want {
					t.Errorf("got %q", got)
				}
			}
		})
	}
	group.Wait()
}

// A secret that is spread over fields goes from all of them: halves of a key, a name in one field and the value in the next.
func TestSecretsOverFields(t *testing.T) {
	s, g := newScrubber(t), newGen(48)
	hex := func(n int) string { return g.from(alphabets["hex"], n) }
	a, b := hex(32), hex(32)
	aws := g.from(alphabets["b64"], 38) + "7z"
	for _, c := range []struct {
		name    string
		doc     note
		secrets []string
	}{
		{"halves in two fields", note{Summary: "my private key is " + a, Content: b}, []string{a, b}},
		{"halves in field and tag", note{Summary: "x", Content: "PRIVATE_KEY=" + a, Tags: noteTags{b}}, []string{a, b}},
		{"halves in tags", note{Summary: "x", Tags: noteTags{"private key: " + a, b}}, []string{a, b}},
		{"0x and halves in tags", note{Summary: "x", Tags: noteTags{"0x" + a, b}}, []string{a, b}},
		{"name, then key", note{Summary: "This is my private key", Content: a + b}, []string{a + b}},
		{"name: then key", note{Summary: "PRIVATE_KEY:", Content: a + b}, []string{a + b}},
		{"name tag, key tag", note{Summary: "x", Tags: noteTags{"private_key", a + b}}, []string{a + b}},
		{"AWS secret in two fields", note{Summary: "aws_secret_access_key = " + aws[:20], Content: aws[20:]}, []string{aws[:20], aws[20:]}},
		{"AWS secret in field and tag", note{Summary: "x", Content: "AWS_SECRET_ACCESS_KEY=" + aws[:24], Tags: noteTags{aws[24:]}}, []string{aws[:24], aws[24:]}},
		{"AWS name, then secret", note{Summary: "aws secret access key", Content: aws}, []string{aws}},
		{"password tag, value tag", note{Summary: "x", Tags: noteTags{"db_password", "Qx7!" + hex(6) + "#z"}}, []string{"Qx7!"}},
	} {
		got, err := Scrub(t.Context(), s, c.doc)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(got.Value())
		for _, secret := range c.secrets {
			if strings.Contains(strings.ToLower(string(text)), strings.ToLower(secret)) {
				t.Errorf("%s: %s", c.name, text)
				break
			}
		}
		if !got.Report().Changed {
			t.Errorf("%s: not reported", c.name)
		}
	}
	for _, doc := range []note{
		{Summary: "Leaked private key", Content: "in tx " + a + b, Tags: noteTags{"solidity"}},
		{Summary: "password", Content: "argon2id hashes it", Tags: noteTags{"password", "argon2id", "secret", "api-key-rotation-2024"}},
		{Summary: "the secret key", Content: "signTransactionMessageWithSigners", Tags: noteTags{"key", a + b}},
		{Summary: "public key", Content: a + b, Tags: noteTags{a, b}},
	} {
		got, err := Scrub(t.Context(), s, doc)
		if err != nil || got.Report().Changed {
			t.Errorf("%+v: %+v, %v", doc, got.Report(), err)
		}
	}
}
