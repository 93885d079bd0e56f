package handlers

import (
	"context"

	"agentlore/ask"
	"agentlore/curator"
	"agentlore/lore"
)

// withheld says of a new report whether its fix is held back until the curator has looked at who gives it: what it asks for may do harm.
func (s *server) withheld(ctx context.Context, asked []lore.AsksFor) lore.Withheld {
	known, err := s.Knowledge.Current(ctx)
	if err != nil || curator.Withholds(asked, known.Vouched.Has) {
		return lore.WithheldUnvouched
	}
	return ""
}

// handOut leaves out of candidates what is withheld, and gives the best one's voices their words. What a fix asks for is handed out to an asker
// who has it already: the package or the address stands in the question.
func (s *server) handOut(ctx context.Context, j *judged, vouched *curator.KnownNames, question string) (err error) {
	asker := &curator.KnownNames{}
	asker.Add(question)
	known := func(name string) bool { return asker.Has(name) || vouched.Has(name) }
	for i := range j.candidates {
		candidate := &j.candidates[i]
		if candidate.DetailWithheld {
			candidate.Content = ""
		}
		switch {
		case candidate.FixWithheld == "":
		case candidate.FixWithheld == lore.WithheldUnvouched && !curator.Withholds(candidate.AsksFor, known):
			candidate.FixWithheld = ""
		default:
			candidate.Resolution, candidate.Content = "", ""
		}
	}
	if j.verdict == ask.Unknown {
		return nil
	}
	best := &j.candidates[0]
	best.Alternatives, err = s.quote(ctx, best.Alternatives, known)
	return err
}

// quote gives fixes their words, which are read now: those of reports that were withdrawn or say something else by now are left out.
func (s *server) quote(ctx context.Context, fixes []lore.Fix, known func(string) bool) ([]lore.Fix, error) {
	if len(fixes) == 0 {
		return nil, nil
	}
	ids := make([]string, len(fixes))
	for i, fix := range fixes {
		ids[i] = fix.From.ID
	}
	found, err := s.Submissions.ByIDs(ctx, ids)
	var quoted []lore.Fix
	for _, fix := range fixes {
		report, there := found[fix.From.ID]
		if !there || report.Status != "" || report.Words().Revision != fix.From.Revision || report.FixWithheld == lore.WithheldUnsafe {
			continue
		}
		if fix.Withheld = report.FixWithheld; fix.Withheld == lore.WithheldUnvouched && !curator.Withholds(report.AsksFor, known) {
			fix.Withheld = ""
		}
		if fix.Withheld == "" {
			fix.Resolution = report.Resolution
		}
		quoted = append(quoted, fix)
	}
	return quoted, err
}
