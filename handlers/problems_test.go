package handlers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
)

// A caller that goes away is no fault of the service: alerts count what is 500 and above.
func TestACallerWhoWentAwayIsNoServerError(t *testing.T) {
	s := &server{}
	s.Log = slog.New(slog.DiscardHandler)
	for _, test := range []struct {
		err  error
		want int
	}{
		{fmt.Errorf("search: %w", context.Canceled), http.StatusRequestTimeout},
		{errors.New("a bug"), http.StatusInternalServerError},
	} {
		if got := s.problemOf(t.Context(), test.err); got.Status != test.want {
			t.Errorf("%v is answered with %d, want %d", test.err, got.Status, test.want)
		}
	}
}
