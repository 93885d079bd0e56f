package handlers

import (
	"context"
	"net/http"
	"testing"
	"time"

	"agentlore/catalog"
	"agentlore/curator"
	"agentlore/knowledge"
	"agentlore/lore"
	"agentlore/matcher"
	"agentlore/scrubber"
)

// shelf keeps submissions by id; what a real store decides is tested with the index. Here it is time that matters.
type shelf map[string]lore.Submission

func (s shelf) Earlier(context.Context, string) ([]lore.Version, error) { return nil, nil }

func (s shelf) Amend(
	context.Context, string, func(lore.Submission) (lore.Draft, scrubber.Scrubbed[lore.Observation], error),
) (stored lore.Submission, amended bool, err error) {
	return stored, false, nil
}

func (s shelf) Create(_ context.Context, draft lore.Draft, text scrubber.Scrubbed[lore.Observation]) (lore.Submission, bool, error) {
	if held, there := s[draft.ID]; there {
		return held, false, nil
	}
	s[draft.ID] = lore.Submission{ID: draft.ID, Summary: text.Value().Summary, CreatedAt: draft.CreatedAt.Truncate(time.Millisecond)}
	return s[draft.ID], true, nil
}

func (s shelf) Get(_ context.Context, id string) (lore.Submission, error) {
	if held, there := s[id]; there {
		return held, nil
	}
	return lore.Submission{}, lore.NotFound("submission")
}

func (s shelf) ByIDs(context.Context, []string) (map[string]lore.Submission, error) { return s, nil }

func (s shelf) List(context.Context, lore.ListQuery) (lore.Page[lore.Submission], error) {
	return lore.Page[lore.Submission]{}, nil
}

func (s shelf) Erasure(context.Context, string) (lore.Erasure, error) {
	return lore.Erasure{}, lore.NotFound("erasure")
}

func (s shelf) Erasures(context.Context, time.Time, *lore.Erasure, int) ([]lore.Erasure, *lore.Erasure, error) {
	return nil, nil, nil
}

// knowsNothing is the knowledge of an empty store.
type knowsNothing struct{}

func (knowsNothing) Current(context.Context) (*knowledge.Current, error) {
	return &knowledge.Current{Matcher: matcher.New(nil), Catalog: catalog.New(nil), Library: &knowledge.Library{Vouched: &curator.KnownNames{}}}, nil
}

// Equal text is a duplicate for 24 hours to the minute, also over midnight, and a new report after that.
func TestDuplicateWindow(t *testing.T) {
	rules := scrubber.New(scrubber.Config{})
	for _, firstAt := range []time.Time{
		time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 1, 12, 34, 56, 789_123_456, time.UTC), time.Date(2026, 3, 1, 23, 59, 59, 0, time.UTC),
	} {
		for _, tc := range []struct {
			after     time.Duration
			duplicate bool
		}{
			{time.Second, true}, {12 * time.Hour, true}, {24*time.Hour - time.Second, true}, {24*time.Hour + time.Second, false},
			{47 * time.Hour, false}, {240 * time.Hour, false},
		} {
			now := firstAt
			s := &server{Dependencies: Dependencies{Scrubber: rules, Rules: curator.DefaultRules(), Submissions: shelf{}, Knowledge: knowsNothing{}, Now: func() time.Time { return now }}}
			text, err := scrubber.Scrub(t.Context(), rules, lore.Observation{Summary: "s", Category: lore.CategoryGeneral})
			if err != nil {
				t.Fatal(err)
			}
			ctx := context.WithValue(t.Context(), requestKey{}, &request{identity: lore.Identity{SourceID: lore.NewID()}})
			first, err := s.store(ctx, s.draft(ctx, text), text)
			if err != nil || first.Status != http.StatusCreated || first.Body.Duplicate {
				t.Fatalf("the first: %+v, %v", first, err)
			}
			now = firstAt.Add(tc.after)
			second, err := s.store(ctx, s.draft(ctx, text), text)
			if err != nil || second.Body.Duplicate != tc.duplicate || (second.Body.ID == first.Body.ID) != tc.duplicate {
				t.Errorf("%s after %s: duplicate %v, want %v (%v)", tc.after, firstAt.Format(time.TimeOnly), second.Body.Duplicate, tc.duplicate, err)
			}
		}
	}
}
