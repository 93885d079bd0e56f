package index

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"agentlore/lore"
	"agentlore/scrubber"
)

// QuestionStore keeps open questions.
type QuestionStore struct {
	Collection[lore.OpenQuestion]

	mu     sync.Mutex
	recent []keptQuestion // by this process, oldest first, as long as a search may not see them
}

// keptQuestion is that a source asked a question.
type keptQuestion struct {
	id, sourceID string
	at           time.Time
}

// unseenFor is how long a search may not see a question that was kept: the refresh interval is a second, on a store that isn't busy.
const unseenFor = 30 * time.Second

// NewQuestions returns the store of questions.
func NewQuestions(client *Client) *QuestionStore {
	return &QuestionStore{Collection: NewCollection[lore.OpenQuestion](client, lore.Questions, "question")}
}

// QuestionDocument is a question as stored, with who asked it in which words. Readers see the first ones' words and nobody's name.
type QuestionDocument struct {
	lore.OpenQuestion
	Asked []Asking `json:"asked"`
}

// Asking is one source's asking.
type Asking struct {
	SourceID string    `json:"source_id"`
	Text     string    `json:"text"`
	At       time.Time `json:"at"`
}

// Without takes a source's asking out, and reports whether others are left. Their words are shown then.
func (d *QuestionDocument) Without(sourceID string) bool {
	d.Asked = slices.DeleteFunc(d.Asked, func(a Asking) bool { return a.SourceID == sourceID })
	if d.Askers = len(d.Asked); d.Askers == 0 {
		return false
	}
	d.Text = d.Asked[0].Text
	return true
}

// Keep keeps a question for a source, as open whatever it was before: the caller has just found no answer. Created is false where the
// source asked it before. Errors: store_unavailable.
func (s *QuestionStore) Keep(ctx context.Context, asked scrubber.Scrubbed[lore.Asked], sourceID string, now time.Time) (
	question lore.OpenQuestion, created bool, err error,
) {
	said, now := asked.Value(), now.UTC().Truncate(time.Millisecond)
	stored, err := Edit(ctx, s.client, s.client.AliasOf(lore.Questions), said.ID, func(held *QuestionDocument, there bool) error {
		if !there || now.Sub(held.AskedAt) > lore.QuestionLife {
			held.OpenQuestion = lore.OpenQuestion{ID: said.ID, Text: said.Text, Ecosystem: said.Ecosystem, CreatedAt: now}
			held.Asked = nil
		}
		held.Status, held.AnsweredBy, held.AnsweredAt, held.AskedAt = lore.QuestionOpen, nil, nil, now
		own := slices.IndexFunc(held.Asked, func(a Asking) bool { return a.SourceID == sourceID })
		if created = own < 0; created && len(held.Asked) < lore.MaxAskers {
			held.Asked = append(held.Asked, Asking{sourceID, said.Text, now})
		}
		held.Askers = len(held.Asked)
		return nil
	})
	if err == nil {
		s.mu.Lock()
		s.recent = append(s.recent, keptQuestion{said.ID, sourceID, time.Now()})
		s.mu.Unlock()
	}
	return stored.Source.OpenQuestion, created, Wrapped("keep question", err)
}

// OpenOf returns the ids of the open questions of a source, at most lore.MaxOpenQuestions. Those that this process kept a moment ago are
// among them, though a search doesn't see them yet. Errors: store_unavailable.
func (s *QuestionStore) OpenOf(ctx context.Context, sourceID string) (ids []string, err error) {
	filter := lore.Filter{AskerID: sourceID, Status: string(lore.QuestionOpen)}
	found, err := s.List(ctx, lore.ListQuery{Filter: filter, Limit: lore.MaxOpenQuestions})
	if err != nil {
		return nil, err
	}
	for _, question := range found.Results {
		ids = append(ids, question.ID)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recent = slices.DeleteFunc(s.recent, func(k keptQuestion) bool { return time.Since(k.at) > unseenFor })
	for _, kept := range s.recent {
		if kept.sourceID == sourceID && !slices.Contains(ids, kept.id) && len(ids) < lore.MaxOpenQuestions {
			ids = append(ids, kept.id)
		}
	}
	return ids, nil
}

// AskedBy reports whether a source asked a question. Errors: not_found, store_unavailable.
func (s *QuestionStore) AskedBy(ctx context.Context, id, sourceID string) (bool, error) {
	if !lore.ValidID(id) {
		return false, lore.NotFound("question")
	}
	held, err := Get[QuestionDocument](ctx, s.client, s.client.AliasOf(lore.Questions), id, "asked")
	if errors.Is(err, ErrNotFound) {
		return false, lore.NotFound("question")
	}
	asked := slices.ContainsFunc(held.Source.Asked, func(a Asking) bool { return a.SourceID == sourceID })
	return asked, Wrapped("read question", err)
}

// Answer marks a question as answered by an item or, where by is nil, as open. One that is gone, or so already, stays as it is. Errors:
// store_unavailable.
func (s *QuestionStore) Answer(ctx context.Context, id string, by *lore.Target, now time.Time) error {
	now = now.UTC().Truncate(time.Millisecond)
	_, err := Edit(ctx, s.client, s.client.AliasOf(lore.Questions), id, func(held *QuestionDocument, there bool) error {
		switch {
		case !there, by == nil && held.Status == lore.QuestionOpen, by != nil && held.AnsweredBy != nil && *held.AnsweredBy == *by:
			return ErrUnchanged
		case by == nil:
			held.Status, held.AnsweredBy, held.AnsweredAt = lore.QuestionOpen, nil, nil
		default:
			held.Status, held.AnsweredBy, held.AnsweredAt = lore.QuestionAnswered, by, &now
		}
		return nil
	})
	return Wrapped("answer question", err)
}

// Sweep deletes questions that were not asked for lore.QuestionLife. Errors: store_unavailable.
func (s *QuestionStore) Sweep(ctx context.Context, now time.Time) error {
	_, err := s.client.DeleteWhere(ctx, s.client.AliasOf(lore.Questions), before("asked_at", now.Add(-lore.QuestionLife)))
	return Wrapped("delete old questions", err)
}
