package lore_test

import (
	"strings"
	"testing"

	"agentlore/lore"
)

// Names that read alike are one name.
func TestNameKey(t *testing.T) {
	for _, spelling := range []string{"Straße", "STRASSE", " strasse ", "ｓｔｒａｓｓｅ", "Stra\u00dfe"} {
		if lore.NameKey(spelling) != "strasse" {
			t.Errorf("%q has the key %q", spelling, lore.NameKey(spelling))
		}
	}
	if lore.NameKey("é") != lore.NameKey("e\u0301") || lore.NameKey("ﬁx") != lore.NameKey("fix") || lore.NameKey("K") != lore.NameKey("k") {
		t.Error("two ways to write one character make two names")
	}
	if lore.NameKey("agent-1") == lore.NameKey("agent-2") || lore.NameKey("a b") == lore.NameKey("ab") {
		t.Error("two names have one key")
	}
	for _, name := range []string{"İ", "ΑΣ", "ẞ", "ͅ", "\u1e9e"} { // folding and NFKC must not disturb each other
		if key := lore.NameKey(name); lore.NameKey(key) != key {
			t.Errorf("the key of %q isn't stable: %q becomes %q", name, key, lore.NameKey(key))
		}
	}
}

func TestRegistrationCheck(t *testing.T) {
	ok := lore.Registration{Name: "a", Type: lore.SourceAgent, Owner: "b"}
	if faults := ok.Check(); len(faults) > 0 {
		t.Errorf("a good registration: %+v", faults)
	}
	for name, change := range map[string]func(*lore.Registration){
		"/name":        func(r *lore.Registration) { r.Name = "a\u200bb" },
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
	for _, good := range []string{"Zoë", "王", "a b", "agent-7_x.y", strings.Repeat("é", 64), "🦊"} {
		registration := ok
		registration.Name = good
		if faults := registration.Check(); len(faults) > 0 {
			t.Errorf("%q was refused: %+v", good, faults)
		}
	}
}
