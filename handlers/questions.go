package handlers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentlore/ask"
	"agentlore/curator"
	"agentlore/lore"
	"agentlore/scrubber"
)

// QuestionStore keeps open questions.
type QuestionStore interface {
	Reader[lore.OpenQuestion]
	// Keep keeps a question for a source; created is false where the source asked it before. Errors: store_unavailable.
	Keep(ctx context.Context, asked scrubber.Scrubbed[lore.Asked], sourceID string, now time.Time) (
		question lore.OpenQuestion, created bool, err error)
	// OpenOf returns the ids of the open questions of a source. Errors: store_unavailable.
	OpenOf(ctx context.Context, sourceID string) ([]string, error)
	// AskedBy reports whether a source asked a question. Errors: not_found, store_unavailable.
	AskedBy(ctx context.Context, id, sourceID string) (bool, error)
}

type questionsInput struct {
	PageInput
	ByTime
	Ecosystem string `query:"ecosystem" maxLength:"64" doc:"Only what was asked about this ecosystem"`
	Status    string `query:"status" enum:"open,answered" default:"open" doc:"Only this status"`
}

type questionBody struct {
	ID         string              `json:"id,omitempty" format:"uuid" doc:"Id of the question; absent where it is known already and nothing was kept"`
	Status     lore.QuestionStatus `json:"status" enum:"open,answered" doc:"open: it is kept until something is known; answered: see answered_by"`
	AnsweredBy *lore.Target        `json:"answered_by,omitempty" doc:"What answers it"`
	Duplicate  bool                `json:"duplicate,omitempty" doc:"true: you asked this before"`
	Askers     int                 `json:"asker_count,omitempty" doc:"Sources that ask it"`
	Feed       string              `json:"feed,omitempty" doc:"The feed that has the answer when there is one"`
	Scrubbing  scrubber.Report     `json:"scrubbing" doc:"What was removed before it was kept"`
}

// keepQuestion keeps a question that nothing answers. It is asked once more first: what is known needn't be kept.
func (s *server) keepQuestion(ctx context.Context, input *bodyInput[lore.Question]) (*storedOutput[questionBody], error) {
	question, removed, err := acceptQuestion(ctx, s, input.Body)
	if err != nil {
		return nil, err
	}
	body := questionBody{Status: lore.QuestionAnswered, Scrubbing: removed}
	if body.AnsweredBy, err = KnownBy(ctx, s.Searcher, s.Knowledge, question); err != nil || body.AnsweredBy != nil {
		return storedAnswer(false, "", body), err
	}
	asked, err := s.asked(ctx, question)
	if err != nil {
		return nil, err
	}
	source := requestOf(ctx).identity.SourceID
	open, err := s.Questions.OpenOf(ctx, source)
	if err != nil {
		return nil, err
	}
	if len(open) >= lore.MaxOpenQuestions && !slices.Contains(open, asked.Value().ID) {
		return nil, &lore.Problem{Code: lore.CodeTooManyQuestions, Detail: fmt.Sprintf(
			"you have %d open questions, as many as are kept for one source; each ends when it is answered, or after 90 days", len(open))}
	}
	kept, created, err := s.Questions.Keep(ctx, asked, source, s.Now())
	body.ID, body.Status, body.Duplicate, body.Askers = kept.ID, kept.Status, !created, kept.Askers
	body.Feed = "/feed.json?question=" + kept.ID
	return storedAnswer(created, "/questions/"+kept.ID, body), err
}

// asked returns what is kept of a scrubbed question: the lines that say what went wrong, under an id that follows from their words
// without addresses, hashes and numbers. Text that instructs its reader is not kept: others would read it in the list.
func (s *server) asked(ctx context.Context, question lore.Question) (asked scrubber.Scrubbed[lore.Asked], err error) {
	text := lore.CutAtWord(strings.Join(ask.Read(question.Text).Messages, "\n"), lore.MaxQuestionText)
	ecosystem := lore.NormaliseEcosystem(question.Ecosystem)
	words := cmp.Or(curator.Fingerprint(lore.Observation{Content: text}), strings.ToLower(strings.Join(strings.Fields(text), " ")))
	kept := lore.Asked{ID: lore.DerivedID("question", ecosystem, words), Text: text, Ecosystem: ecosystem}
	if err := s.Rules.Safety.Refusal(kept); err != nil {
		return asked, err
	}
	return scrub(ctx, s, kept)
}

// KnownBy returns the knowledge unit or pattern that is known to be what a scrubbed question is about; nil: none is. Errors:
// store_unavailable.
func KnownBy(ctx context.Context, searcher Searcher, known Knowledge, question lore.Question) (*lore.Target, error) {
	current, err := known.Current(ctx)
	if err != nil {
		return nil, err
	}
	judged, err := judge(ctx, searcher, current.Matcher, question)
	if err != nil || judged.verdict != ask.Known {
		return nil, err
	}
	for _, searched := range lore.SearchTypes() {
		if best := judged.candidates[0]; searched.Type == best.Type && (best.Type == lore.TypeKnowledgeUnit || best.Type == lore.TypePattern) {
			return &lore.Target{Collection: searched.Collection, ID: best.ID}, nil
		}
	}
	return nil, nil
}

// answerTo returns the items of a question's feed: what answers it, as long as that holds.
func (s *server) answerTo(ctx context.Context, id, base string) ([]FeedItem, error) {
	question, err := s.Questions.Get(ctx, id)
	if err != nil || question.AnsweredBy == nil {
		return []FeedItem{}, err
	}
	var item FeedItem
	hidden := false
	if question.AnsweredBy.Collection == lore.KnowledgeUnits {
		var unit lore.KnowledgeUnit
		unit, err = s.KnowledgeUnits.Get(ctx, question.AnsweredBy.ID)
		item, hidden = UnitItem(base, unit), unit.Status != lore.UnitActive || lore.LeavesOut(unit.Warnings)
	} else {
		var pattern lore.Pattern
		pattern, err = s.Patterns.Get(ctx, question.AnsweredBy.ID)
		item, hidden = patternItem(base, pattern), pattern.Status == lore.StatusFlagged || lore.LeavesOut(pattern.Warnings)
	}
	if hidden || isNotFound(err) {
		return []FeedItem{}, nil
	}
	item.PublishedAt = *question.AnsweredAt
	return []FeedItem{item}, err
}

// mineBody is the first page of one's own submissions with one's questions.
type mineBody struct {
	ListBody[lore.Submission]
	Questions []lore.OpenQuestion `json:"questions,omitempty" doc:"Your questions that were kept, the newest 20, on the first page only"`
}

type mineInput struct {
	PageInput
	ByTime
}

// mine answers with the bearer's own submissions and, on the first page, questions.
func (s *server) mine(ctx context.Context, input *mineInput) (*bodyOutput[mineBody], error) {
	source := requestOf(ctx).identity.SourceID
	query := queryOf(*input)
	query.Filter.SourceID = source
	mine, err := list(ctx, s.Submissions, query)
	if err != nil {
		return nil, err
	}
	body := mineBody{ListBody: mine.Body}
	if input.Cursor == "" && input.Offset == 0 {
		var asked lore.Page[lore.OpenQuestion]
		asked, err = s.Questions.List(ctx, lore.ListQuery{Filter: lore.Filter{AskerID: source}, Limit: lore.MaxOpenQuestions})
		body.Questions = asked.Results
	}
	return &bodyOutput[mineBody]{body}, err
}
