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
	// lookupsAtOnce bounds the look-ups under way: when many submit at once, the store's time goes to what they submit.
	lookupsAtOnce = 2
	// company is how many may write while somebody looks, who looks among them: a look-up takes the store longer than a submission
	// that shares a bulk request, and all the others would wait for it.
	company = 4
	// lookupTimeout ends a look-up that nobody waits for any more.
	lookupTimeout = time.Second
)

// advice is what an answer says when a report looks known.
const advice = "this looks known: if one of these is the same, report on /intake/outcome how it went when you used it; that counts more than one more report"

// lookUp begins to look for similar reports beside the write, and returns how to get what was found. It waits for that no longer
// than SimilarWait beyond the moment when it is asked, and begins nothing where others are under way already, several write at once
// or somebody waits for a turn: an answer without is no worse than a late one, and better than somebody else's refusal.
func (s *server) lookUp(ctx context.Context, text scrubber.Scrubbed[lore.Observation]) (found func(self string) []lore.Similar) {
	nothing := func(string) []lore.Similar { return nil }
	if s.Similar == nil || s.SimilarWait <= 0 || s.queues.waiting() || s.queues.writes.Running() > company {
		return nothing
	}
	select {
	case s.lookups <- struct{}{}:
	default:
		return nothing
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
		timer := time.NewTimer(s.SimilarWait)
		defer timer.Stop()
		select {
		case similar := <-answer:
			similar = slices.DeleteFunc(similar, func(one lore.Similar) bool { return one.ID == self })
			return similar[:min(mostSimilar, len(similar))]
		case <-timer.C:
			return nil
		}
	}
}

// withSimilar adds to an answer what was found.
func (o *submitOutput) withSimilar(similar []lore.Similar) *submitOutput {
	if len(similar) == 0 {
		return o
	}
	o.Body.Similar, o.Body.Advice = similar, advice
	if first := similar[0]; first.SameWords {
		o.Body.Pattern = first.PatternID
	}
	return o
}

// withoutSimilar returns an answer as it is kept for retries: others' words aren't kept with it, so that what is redacted stands
// nowhere else.
func (o submitOutput) withoutSimilar() submitOutput {
	o.Body.Similar, o.Body.Advice = nil, ""
	return o
}
