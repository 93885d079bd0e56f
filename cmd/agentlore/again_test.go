package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"agentlore/enginetest"
	"agentlore/lore"
)

// A text whose report says something else by now, since it was amended, redacted or withdrawn, is a new report when it
// is sent again, by whatever road, and however often. Meanwhile a repetition of it is one of that report, also where
// many arrive at the same moment.
func TestSaidAgainAfterItChanged(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	me := s.register(t, "says it again")
	session := mcpSessionWith(t, me.token, s)
	base := s.submit(t, me, observation("Dunnart relayer stalls, the report that others follow")).ID
	keys := 0
	post := func(path string, body any, headers ...string) submitted {
		t.Helper()
		got := s.send(t, "POST", path, body, append(me.bearer(), headers...)...)
		answered := decode[submitted](t, got)
		if got.status != 200 && got.status != 201 || answered.Duplicate != (got.status == 200) {
			t.Fatalf("%s: %d %s", path, got.status, got.body)
		}
		return answered
	}
	roads := map[string]func(text string) submitted{
		"submit": func(text string) submitted { return post("/intake/submit", observation(text)) },
		"a new key": func(text string) submitted {
			keys++
			return post("/intake/submit", observation(text), "Idempotency-Key", fmt.Sprint("key-", keys))
		},
		"follow-up": func(text string) submitted {
			return post("/intake/follow-up", map[string]any{"id": base, "content": text})
		},
		"analyze": func(text string) submitted { return post("/intake/analyze", map[string]any{"content": text}) },
		"batch": func(text string) submitted {
			got := decode[batched](t, s.send(t, "POST", "/intake/submit/batch", []any{observation(text)}, me.bearer()...).want(t, 200))
			return *got.Results[0].Answer
		},
		"mcp": func(text string) submitted {
			failed, got := callTool(t, session, "submit", observation(text))
			if failed {
				t.Fatalf("mcp: %v", got)
			}
			duplicate, _ := got["duplicate"].(bool)
			return submitted{ID: got["id"].(string), Duplicate: duplicate}
		},
	}
	changes := map[string]func(id string){
		"amended": func(id string) {
			s.send(t, "PATCH", "/submissions/"+id, map[string]any{"summary": "Other words", "content": "Of something else."}, me.bearer()...).want(t, 200)
		},
		"given another category": func(id string) {
			s.send(t, "PATCH", "/submissions/"+id, map[string]any{"category": "market"}, me.bearer()...).want(t, 200)
		},
		"withdrawn": func(id string) {
			s.send(t, "POST", "/intake/withdraw", map[string]any{"id": id}, me.bearer()...).want(t, 201)
		},
		"redacted": func(id string) {
			texts := filepath.Join(t.TempDir(), "texts")
			if err := os.WriteFile(texts, []byte("Dunnart"), 0o600); err != nil {
				t.Fatal(err)
			}
			lever(t, s.prefix, "redact", id, "--why=a name", "--texts="+texts)
		},
	}
	for road, send := range roads {
		for change, apply := range changes {
			text := fmt.Sprintf("Dunnart indexer skips a block, by %s, then %s", road, change)
			var ids []string
			for range 3 { // what was sent again can be changed, and sent again
				first, again := send(text), send(text)
				if first.Duplicate || slices.Contains(ids, first.ID) || again.ID != first.ID || !again.Duplicate {
					t.Fatalf("%s, %s, after %v: %+v, then %+v", road, change, ids, first, again)
				}
				ids = append(ids, first.ID)
				apply(first.ID)
			}
		}
	}

	// Many at once are one report, and what was amended to say the same again is that.
	text := observation("Dunnart indexer skips a block, ten times at once")
	first := s.submit(t, me, text).ID
	s.send(t, "PATCH", "/submissions/"+first, map[string]any{"content": "More."}, me.bearer()...).want(t, 200)
	var mu sync.Mutex
	ids := map[string]bool{}
	inParallel(10, 10, func(int) {
		got, err := s.try(t.Context(), "POST", "/intake/submit", text, me.bearer()...)
		if err != nil || got.status > 201 {
			t.Errorf("%v %d %s", err, got.status, got.body)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		ids[decode[submitted](t, got).ID] = true
	})
	if len(ids) != 1 || ids[first] {
		t.Errorf("ten at once are %v, want one beside %s", ids, first)
	}
	s.send(t, "PATCH", "/submissions/"+first, map[string]any{"content": ""}, me.bearer()...).want(t, 200)
	if got := post("/intake/submit", text); got.ID != first || !got.Duplicate {
		t.Errorf("what says the same again: %+v, want %s", got, first)
	}

	// A key answers for the request that it was first sent with, whatever became of it.
	keyed := func() submitted {
		return post("/intake/submit", observation("Dunnart, under one key"), "Idempotency-Key", "one")
	}
	once := keyed()
	changes["withdrawn"](once.ID)
	got := s.send(t, "POST", "/intake/submit", observation("Dunnart, under one key"), append(me.bearer(), "Idempotency-Key", "one")...).want(t, 201)
	if again := decode[submitted](t, got); again.ID != once.ID {
		t.Errorf("a retry with its key: %+v, want %+v", again, once)
	}
	// An operator's category is not another text.
	moved := s.submit(t, me, observation("Dunnart, of another category")).ID
	plantFields(t, s, string(lore.Submissions), moved, map[string]any{"category": "market", "classified_by": lore.ByOperator})
	if again := post("/intake/submit", observation("Dunnart, of another category")); again.ID != moved || !again.Duplicate {
		t.Errorf("after an operator chose its category: %+v, want %s", again, moved)
	}
}
