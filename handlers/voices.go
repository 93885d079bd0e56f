package handlers

import (
	"cmp"
	"context"
	"slices"

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

// maxVoices is how many reports an open question shows, and maxVoiceText how much of what each says, in characters, as
// answers do.
const (
	maxVoices    = 5
	maxVoiceText = 600
)

// question answers with a question and what may answer it.
func (s *server) question(ctx context.Context, input *itemInput) (*bodyOutput[itemBody[lore.VoicedQuestion]], error) {
	found, err := s.Questions.Get(ctx, input.ID)
	if err != nil {
		return nil, err
	}
	voiced, err := s.voiced(ctx, found)
	return &bodyOutput[itemBody[lore.VoicedQuestion]]{itemBody[lore.VoicedQuestion]{voiced}}, err
}

// voiced adds to an open question the reports that may answer it. They are looked for as the question is read: so it
// shows no report that was withdrawn, and the newest.
func (s *server) voiced(ctx context.Context, question lore.OpenQuestion) (lore.VoicedQuestion, error) {
	voiced := lore.VoicedQuestion{OpenQuestion: question, Voices: []lore.Voice{}}
	if question.Status != lore.QuestionOpen {
		return voiced, nil
	}
	known, err := s.Knowledge.Current(ctx)
	if err != nil {
		return voiced, err
	}
	j, err := judge(ctx, s.Searcher, known.Matcher, lore.Question{Text: question.Text, Ecosystem: question.Ecosystem})
	if err != nil {
		return voiced, err
	}
	marks, err := s.Outcomes.HelpedWith(ctx, question.ID)
	if err != nil {
		return voiced, err
	}
	ids := reportsOf(j.candidates)
	for _, mark := range marks {
		ids = append(ids, mark.Target.ID)
	}
	found, err := s.Submissions.ByIDs(ctx, ids)
	if err != nil {
		return voiced, err
	}
	seen := map[string]bool{}
	for _, id := range ids {
		if report, there := found[id]; there && !seen[id] && answers(report) {
			voiced.Voices = append(voiced.Voices, voiceOf(report, marks, known.Vouched.Has))
		}
		seen[id] = true
	}
	slices.SortStableFunc(voiced.Voices, func(a, b lore.Voice) int { return cmp.Compare(b.Helped, a.Helped) })
	voiced.Voices = voiced.Voices[:min(len(voiced.Voices), maxVoices)]
	return voiced, nil
}

// reportsOf returns the ids of the reports whose fixes stand behind candidates for a question, the likeliest first.
func reportsOf(candidates []ask.Judged) (ids []string) {
	for _, candidate := range candidates {
		if !candidate.Near() || candidate.Elsewhere {
			continue
		}
		if candidate.Type == lore.TypeSubmission {
			ids = append(ids, candidate.ID)
		}
		if candidate.FixFrom != nil {
			ids = append(ids, candidate.FixFrom.ID)
		}
		for _, other := range candidate.Alternatives {
			ids = append(ids, other.From.ID)
		}
	}
	return ids
}

// answers reports whether a report says what to do, and nothing is against handing that out.
func answers(report lore.Submission) bool {
	return report.Resolution != "" && report.Status == "" && !lore.LeavesOut(report.Warnings) &&
		report.FixWithheld != lore.WithheldUnsafe
}

// voiceOf returns a report as a voice, with how many askers say that it helped, in these words.
func voiceOf(report lore.Submission, marks []lore.Outcome, known func(string) bool) lore.Voice {
	words := report.Words()
	from := lore.FixFrom{ID: report.ID, Revision: words.Revision, SourceID: report.SourceID, Standing: report.Standing}
	from.Standing = cmp.Or(from.Standing, lore.StandingNone) // of a report that is not curated yet
	voice := lore.Voice{
		Title: report.Summary, Fix: lore.Fix{From: from, AsksFor: report.AsksFor, Withheld: withheldFrom(report, known)},
	}
	if voice.Withheld == "" {
		voice.Resolution = lore.CutAtWord(report.Resolution, maxVoiceText)
	}
	if report.FixEvidence != nil {
		voice.Evidence = *report.FixEvidence
	}
	for _, mark := range marks {
		if mark.Target.ID == report.ID && mark.Words.AreOf(words, mark.At, report.RevisedAt) {
			voice.Helped++
		}
	}
	return voice
}

// withheldFrom says whether a report's fix is withheld from a reader for whom some names are vouched.
func withheldFrom(report lore.Submission, known func(string) bool) lore.Withheld {
	if report.FixWithheld == lore.WithheldUnvouched && !curator.Withholds(report.AsksFor, known) {
		return ""
	}
	return report.FixWithheld
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
		if fix.Withheld = withheldFrom(report, known); fix.Withheld == "" {
			fix.Resolution = report.Resolution
		}
		quoted = append(quoted, fix)
	}
	return quoted, err
}
