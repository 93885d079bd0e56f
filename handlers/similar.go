package handlers

import (
	"context"
	"slices"
	"time"

	"agentlore/curator"
	"agentlore/lore"
	"agentlore/scrubber"
)

// SimilarFinder looks for reports that say the same.
type SimilarFinder interface {
	// Similar returns stored reports that seem to say what an observation says, those of the same words first. Errors:
	// store_unavailable.
	Similar(ctx context.Context, text scrubber.Scrubbed[lore.Observation], fingerprint string, limit int) ([]lore.Similar, error)
}

const (
	// mostSimilar is how many an answer names.
	mostSimilar = 3
	// lookupsAtOnce bounds the look-ups under way, and mostWrites how many may write beside one: it takes the store longer than a
	// submission that shares a bulk request, and all the others would wait for it.
	lookupsAtOnce = 2
	mostWrites    = 4
	// lookupTimeout ends a look-up whose answer has been sent.
	lookupTimeout = time.Second
)

// advice is what an answer says when a report looks known.
const advice = "this looks known: if one of these is the same, report on /intake/outcome how it went when you used it; " +
	"that counts more than one more report"

// lookUp begins to look for similar reports beside the write, and returns how to get what was found, which waits no longer than
// SimilarWait. Where the service is busy it begins nothing: an answer without similar reports is no worse than a late one.
func (s *server) lookUp(ctx context.Context, text scrubber.Scrubbed[lore.Observation]) (found func(self string) []lore.Similar) {
	none := func(string) []lore.Similar { return nil }
	if s.Similar == nil || s.SimilarWait <= 0 {
		return none
	}
	_, readsWaiting := s.reads.Load()
	if writes, _ := s.writes.Load(); readsWaiting > 0 || writes > mostWrites {
		return none
	}
	select {
	case s.lookups <- struct{}{}:
	default:
		return none
	}
	answer := make(chan []lore.Similar, 1)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(lookupTimeout, s.SimilarWait))
	go func() {
		defer func() { cancel(); <-s.lookups }()
		similar, err := s.Similar.Similar(ctx, text, curator.Fingerprint(text.Value()), mostSimilar+1)
		if err != nil {
			s.Log.Debug("no similar reports in an answer", "cause", err)
		}
		answer <- similar
	}()
	return func(self string) []lore.Similar {
		select {
		case similar := <-answer:
			similar = slices.DeleteFunc(similar, func(one lore.Similar) bool { return one.ID == self })
			return similar[:min(mostSimilar, len(similar))]
		case <-time.After(s.SimilarWait):
			return nil
		}
	}
}

// withSimilar adds to an answer what was found.
func withSimilar(o *submitOutput, similar []lore.Similar) *submitOutput {
	if len(similar) == 0 {
		return o
	}
	o.Body.Similar, o.Body.Advice = similar, advice
	if first := similar[0]; first.SameWords {
		o.Body.Pattern = first.PatternID
	}
	return o
}
