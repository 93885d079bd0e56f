package ask_test

import (
	"fmt"
	"strings"
	"testing"

	"agentlore/ask"
)

// Condense keeps the line that explains the failure, wherever it stands in a long log, and the first and last lines.
func TestCondense(t *testing.T) {
	t.Parallel()
	noise := ""
	for i := range 6_000 {
		noise += fmt.Sprintf("2026-11-26 03:%02d:%02d INFO imported block %d in %d ms\n", i/60%60, i%60, i, i%7)
	}
	for i := range 300 {
		noise += fmt.Sprintf("2026-11-26 05:%02d:%02d WARN peer %d: connection refused\n", i/60, i%60, i)
	}
	const banner, decides, last = "okapid v7.3.1 on linux", "ERROR okapi store is corrupt: height 77 missing", "okapid stopped"
	long := `{"stack":"` + strings.Repeat("at x ", 10_000) + `","error":{"message":"gnu relay refused the bid"}}`
	for name, text := range map[string]string{
		"in the middle": banner + "\n" + noise[:len(noise)/2] + decides + "\n" + noise[len(noise)/2:] + last,
		"first":         banner + "\n" + decides + "\n" + noise + last,
		"last":          banner + "\n" + noise + decides + "\n" + last,
	} {
		got := ask.Condense(text)
		if len(got) > ask.MaxRead+100 || !strings.Contains(got, banner) || !strings.Contains(got, decides) || !strings.Contains(got, last) {
			t.Errorf("%s: of %d bytes are left %d: %.300s", name, len(text), len(got), got)
		}
		if strings.Count(got, "connection refused") > 40 {
			t.Errorf("%s: one kind of line stands %d times", name, strings.Count(got, "connection refused"))
		}
	}
	if got := ask.Condense(long); len(got) > ask.MaxRead || !strings.Contains(got, "gnu relay refused the bid") {
		t.Errorf("of one line of JSON are left %d bytes: %.200s", len(got), got)
	}
	if got := ask.Condense(decides); got != decides {
		t.Errorf("a short text is %q", got)
	}
}

func BenchmarkCondense(b *testing.B) {
	text := strings.Repeat("2026-11-26 03:11:52 INFO imported block 77 of the okapi chain in 3 ms, peers 12\n", 3_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		ask.Condense(text)
	}
}
