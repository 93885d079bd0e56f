package tracker

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// The time that a thread takes grows with its comments, not with their square: its author decides how many there are.
func TestAThreadOfManyCommentsIsReadOnce(t *testing.T) {
	t.Parallel()
	asker := Person{Handle: "ann"}
	took := func(comments int) time.Duration {
		thread := Thread{Title: "the relay stops", Asker: asker, Closed: true}
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for i := range comments {
			body := fmt.Sprintf("I fixed it: set relay.depth to %d. %s", i, strings.Repeat("It ran through the night without a word. ", 40))
			thread.Comments = append(thread.Comments, Comment{Author: asker, Body: body, CreatedAt: at.Add(time.Duration(i) * time.Minute)})
		}
		thread.Comments = append(thread.Comments, Comment{Author: asker, Body: "It still fails.", CreatedAt: at.Add(time.Hour * 24 * 365)})
		began := time.Now()
		if choice := Choose(thread); choice.Kind != None {
			t.Errorf("of %d comments it takes %q", comments, choice.Text)
		}
		return time.Since(began)
	}
	few, many := took(50), took(800)
	if many > 64*few { // sixteen times the comments; their square would be 256 times
		t.Errorf("50 comments take %s, 800 take %s", few, many)
	}
}
