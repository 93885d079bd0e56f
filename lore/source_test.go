package lore_test

import (
	"strings"
	"testing"

	"agentlore/lore"
)

func TestRegistrationCheck(t *testing.T) {
	ok := lore.Registration{Name: "a", Type: lore.SourceAgent, Owner: "b"}
	if faults := ok.Check(); len(faults) > 0 {
		t.Errorf("a good registration: %+v", faults)
	}
	for name, change := range map[string]func(*lore.Registration){
		"/name":        func(r *lore.Registration) { r.Name = "admin" },
		"/owner":       func(r *lore.Registration) { r.Owner = "a\nb" },
		"/ecosystem/1": func(r *lore.Registration) { r.Ecosystem = []string{"a", strings.Repeat("é", 65)} },
		"/description": func(r *lore.Registration) { r.Description = "\x00" },
	} {
		bad := ok
		change(&bad)
		if faults := bad.Check(); len(faults) != 1 || faults[0].Pointer != name {
			t.Errorf("%s: %+v", name, faults)
		}
	}
	for _, good := range []string{"Zoë", "王", "a b", "agent-7_x.y", strings.Repeat("é", 64), "🦊 fox"} {
		registration := ok
		registration.Name = good
		if faults := registration.Check(); len(faults) > 0 {
			t.Errorf("%q was refused: %+v", good, faults)
		}
	}
}
