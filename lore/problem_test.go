package lore_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"agentlore/lore"
)

var entryTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestProblems(t *testing.T) {
	if lore.InvalidFields(nil) != nil {
		t.Error("no faults are a problem")
	}
	one := lore.InvalidFields([]lore.FieldError{{Pointer: "/a", Code: "c", Detail: "must be b"}})
	if one.Code != lore.CodeInvalidField || one.Detail != "/a must be b" || one.Retryable() {
		t.Errorf("one fault is %+v", one)
	}
	if two := lore.InvalidFields(make([]lore.FieldError, 2)); two.Code != lore.CodeInvalidFields || !strings.Contains(two.Detail, "2 ") {
		t.Errorf("two faults are %+v", two)
	}
	cause := errors.New("dial tcp: refused")
	down := lore.StoreUnavailable(cause)
	if !errors.Is(down, cause) || !down.Retryable() || down.RetryAfter <= 0 || strings.Contains(down.Detail, "refused") || !strings.Contains(down.Error(), "refused") {
		t.Errorf("a store that is down: %+v; want the cause for the log alone", down)
	}
}

func TestStringList(t *testing.T) {
	for in, want := range map[string]string{`"a"`: `["a"]`, `["a","b"]`: `["a","b"]`, `null`: `null`, `[]`: `[]`, `7`: "", `[1]`: "", `{}`: "", `[["a"]]`: ""} {
		var list lore.StringList
		err := json.Unmarshal([]byte(in), &list)
		got, _ := json.Marshal(list)
		if want == "" && err == nil || want != "" && (err != nil || string(got) != want) {
			t.Errorf("%s reads as %s, %v; want %s", in, got, err, want)
		}
	}
}
