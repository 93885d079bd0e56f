package handlers

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"agentlore/ask"
	"agentlore/catalog"
	"agentlore/handlers/mcp"
	"agentlore/knowledge"
	"agentlore/lore"
	"agentlore/matcher"
	"agentlore/scrubber"
)

const (
	// askCandidates is how many problems are judged.
	askCandidates = 20
	// maxNamed is how many units that a text names are looked up; nameWeight what their names must tell: see matcher.Match.
	maxNamed   = 8
	nameWeight = 2
	// askByteCost is what a byte of a question costs of a budget of reads: 20,000 characters take 20 to 40 ms longer than 100, in which
	// reads of other kinds handle 250 kB.
	askByteCost = 12
)

var exampleQuestion = lore.Question{Text: "execution reverted: AA25 invalid account nonce", Ecosystem: "ethereum"}

// askInput is a question in an address.
type askInput struct {
	Q         string `query:"q" required:"true" minLength:"1" maxLength:"2000" doc:"The error message or the question; POST takes whole logs"`
	Ecosystem string `query:"ecosystem" maxLength:"64" doc:"What holds for this ecosystem, or for all, comes first"`
	Limit     int    `query:"limit" minimum:"1" maximum:"5" doc:"Problems to name at most; by default 3, or 2 where the first is known"`
}

// Knowledge is what stored knowledge is met by, and what the reference library vouches for.
type Knowledge interface {
	// Current returns what is known now. Errors: store_unavailable.
	Current(ctx context.Context) (*knowledge.Current, error)
}

// askAnswer is an answer, with what was removed from the question.
type askAnswer struct {
	ask.Answer
	Scrubbing *scrubber.Report `json:"scrubbing,omitempty" doc:"What was removed from the question before anything was done with it, and what to do; absent where that is nothing"`
}

// askByQuery answers a question in an address.
func (s *server) askByQuery(ctx context.Context, input *askInput) (*bodyOutput[askAnswer], error) {
	return s.answer(ctx, &bodyInput[lore.Question]{lore.Question{Text: input.Q, Ecosystem: input.Ecosystem, Limit: input.Limit}})
}

// judged is what was found for a question and how it is judged.
type judged struct {
	question   ask.Question
	query      lore.SearchQuery
	found      lore.SearchResult
	verdict    ask.Verdict
	candidates []ask.Judged
	tried      int // candidates that the asker has tried
}

// answer reads a text, finds candidates, judges them and answers. Nothing but the scrubbed text is used.
func (s *server) answer(ctx context.Context, input *bodyInput[lore.Question]) (*bodyOutput[askAnswer], error) {
	started := s.Now()
	asked, removed, err := acceptQuestion(ctx, s, input.Body)
	if err != nil {
		return nil, err
	}
	known, err := s.Knowledge.Current(ctx)
	if err != nil {
		return nil, err
	}
	if question, asks := known.Catalog.Read(asked.Text, lore.NormaliseEcosystem(asked.Ecosystem)); asks {
		return s.fromCatalog(ctx, known.Catalog.Answer(question), asked, removed, started), nil
	}
	j, err := judge(ctx, s.Searcher, known.Matcher, asked)
	if err != nil {
		return nil, err
	}
	if err := s.handOut(ctx, &j, known.Vouched, asked.Text); err != nil {
		return nil, err
	}
	answer := askAnswer{Answer: ask.NewAnswer(j.question, j.verdict, j.candidates, j.found, asked.Limit)}
	answer.LeftOut.Tried = j.tried
	answer.NextBy(callsOf(ctx), j.question)
	if removed.Changed {
		answer.Scrubbing = &removed
	}
	if s.SearchLog != nil {
		j.query.Text = lore.CutAtWord(strings.Join(j.question.Messages, " "), lore.MaxQueryLength)
		searched := searchedFor(j.query, j.found, started, s.Now().Sub(started).Milliseconds())
		searched.Found = j.verdict != ask.Unknown
		s.SearchLog.Add(searched)
	}
	s.Recorder.Searched(layersOf(j.found.Results))
	return &bodyOutput[askAnswer]{answer}, nil
}

// callsOf returns how the road that a request came by names calls.
func callsOf(ctx context.Context) ask.Calls {
	if mcp.ArgumentsOf(ctx) != nil {
		return ask.ToolCalls
	}
	return ask.HTTPCalls
}

// fromCatalog answers a question about assets by what the catalog says.
func (s *server) fromCatalog(ctx context.Context, found []catalog.Finding, asked lore.Question, removed scrubber.Report, started time.Time) *bodyOutput[askAnswer] {
	answer := askAnswer{Answer: ask.AssetAnswer(found, asked.Limit)}
	answer.NextBy(callsOf(ctx), ask.Question{})
	if removed.Changed {
		answer.Scrubbing = &removed
	}
	if s.SearchLog != nil {
		query := lore.SearchQuery{Text: lore.CutAtWord(asked.Text, lore.MaxQueryLength)}
		searched := searchedFor(query, lore.SearchResult{}, started, s.Now().Sub(started).Milliseconds())
		searched.Found, searched.Results, searched.Total = true, len(found), int64(len(found))
		s.SearchLog.Add(searched)
	}
	return &bodyOutput[askAnswer]{answer}
}

// acceptQuestion checks and scrubs a question, with what its revert data says, and returns what of it is read and what was removed. A log
// is cut only when its secrets are gone: they are known by what stands around them.
func acceptQuestion(ctx context.Context, s *server, question lore.Question) (asked lore.Question, removed scrubber.Report, err error) {
	if question.More != "" {
		question.Text, question.More = question.Text+"\n"+question.More, ""
	}
	question.Text = ask.ReadReverts(question.Text)
	clean, err := accept(ctx, s, question)
	if err != nil {
		return asked, removed, err
	}
	asked = clean.Value()
	asked.Text = ask.Condense(asked.Text)
	return asked, clean.Report(), nil
}

// judge finds candidates for a scrubbed question and judges them.
func judge(ctx context.Context, searcher Searcher, names *matcher.Matcher, asked lore.Question) (j judged, err error) {
	j.question = ask.Read(asked.Text)
	ecosystem := lore.NormaliseEcosystem(cmp.Or(asked.Ecosystem, ask.Origin(asked.Text)))
	named := namesIn(j.question, names, matcher.Surroundings{Text: asked.Text, Ecosystem: ecosystem})
	j.query = lore.SearchQuery{
		Text:  lore.QueryText(strings.Join(append(j.question.Messages, j.question.Entities...), " ")),
		Limit: askCandidates, Full: true, ByProblem: true, Frequencies: true, Withheld: true,
	}
	for _, match := range named {
		j.query.Named = append(j.query.Named, match.Unit.ID)
	}
	if j.query.Text == "" { // times and hashes alone ask about nothing, and a search for nothing lists everything
		j.verdict = ask.Unknown
		return j, nil
	}
	if j.found, err = searcher.Search(ctx, j.query); err != nil {
		return j, err
	}
	tried := func(hit lore.SearchHit) bool { return slices.Contains(asked.Tried, hit.ID) }
	found := len(j.found.Results)
	j.found.Results = slices.DeleteFunc(j.found.Results, tried)
	j.tried = found - len(j.found.Results)
	candidates := candidatesOf(j.found.Results, named, ecosystem)
	corpus := ask.Corpus{Frequencies: j.found.Frequencies, Documents: j.found.Documents, Corrected: j.found.DidYouMean}
	j.verdict, j.candidates = ask.Judge(j.question, corpus, candidates)
	return j, nil
}

// namesIn returns the units that a question names, those whose names tell most first.
func namesIn(question ask.Question, names *matcher.Matcher, around matcher.Surroundings) (named []matcher.Match) {
	for _, match := range names.Find(strings.Join(question.Messages, "\n")+"\n"+question.Rest, around) {
		if match.Weight >= nameWeight && len(named) < maxNamed {
			named = append(named, match)
		}
	}
	return named
}

// candidatesOf returns what was found as candidates for a question about an ecosystem; "": about any.
func candidatesOf(hits []lore.SearchHit, named []matcher.Match, ecosystem string) []ask.Candidate {
	candidates := make([]ask.Candidate, len(hits))
	for i, hit := range hits {
		candidates[i] = ask.Candidate{SearchHit: hit, Elsewhere: ecosystem != "" && !ask.HoldsFor(hit.Ecosystem, ecosystem)}
		for _, match := range named {
			if hit.ID == match.Unit.ID {
				candidates[i].Name, candidates[i].NameWeight = match.Name, match.Weight
				candidates[i].Ambiguous, candidates[i].Context = match.Ambiguous, match.Unit.Context
				candidates[i].Wraps = match.Unit.Wraps
			}
		}
	}
	return candidates
}
