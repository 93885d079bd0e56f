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
		thread := Thread{Post: Post{Title: "the relay stops"}, Asker: asker, Closed: true}
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for i := range comments {
			body := fmt.Sprintf("I fixed it: set relay.depth to %d. %s", i, strings.Repeat("It ran through the night without a word. ", 20))
			thread.Comments = append(thread.Comments, Comment{Post: Post{Body: body}, Author: asker, CreatedAt: at.Add(time.Duration(i) * time.Minute)})
		}
		thread.Comments = append(thread.Comments, Comment{Post: Post{Body: "It still fails."}, Author: asker, CreatedAt: at.Add(time.Hour * 24 * 365)})
		began := time.Now()
		if choice := Choose(thread); choice.Kind != None {
			t.Errorf("of %d comments it takes %q", comments, choice.Text)
		}
		return time.Since(began)
	}
	few, many := took(20), took(320)
	if many > 64*few { // sixteen times the comments; their square would be 256 times
		t.Errorf("20 comments take %s, 320 take %s", few, many)
	}
}
