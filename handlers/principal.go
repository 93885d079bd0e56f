package handlers

import (
	"cmp"
	"context"
	"time"

	"agentlore/curator"
	"agentlore/lore"
)

// PrincipalStore says what a principal may know of itself, and ends its sources.
type PrincipalStore interface {
	// PrincipalSources returns the sources of a principal, the newest first. Errors: store_unavailable.
	PrincipalSources(ctx context.Context, principal string) ([]lore.OwnSource, error)
	// End refuses the tokens of a source that the bearer's registered, or that one of those registered in turn, with all that it
	// registered. It returns those that are refused by this. Errors: not_found, not_yours, store_unavailable.
	End(ctx context.Context, bearer lore.Identity, sourceID string, now time.Time) (ended []string, err error)
}

// mostOwnSources is how many of its sources a principal is shown.
const mostOwnSources = 200

type principalBody struct {
	SourceID string           `json:"source_id" format:"uuid" doc:"Your source: that of the token"`
	Standing lore.Standing    `json:"standing" enum:"given,earned,none" doc:"Whether your words count for the service's own word: an operator said so, others confirmed your fixes, or not yet"`
	Since    time.Time        `json:"since,omitzero" doc:"Since when, UTC; absent with none"`
	Week     weekBody         `json:"week" doc:"Outcomes and flags of all your principal's sources in the present week, which began on Monday, UTC"`
	Sources  []lore.OwnSource `json:"sources" nullable:"false" doc:"The newest 200 sources of your principal, within a second"`
	Total    int              `json:"total" doc:"How many there are"`
}

type weekBody struct {
	Begins   time.Time `json:"begins" doc:"When it began, UTC"`
	Made     int       `json:"made" doc:"Outcomes and flags that your principal gave or changed in it"`
	Counting int       `json:"counting" doc:"How many of these can count: without standing none"`
	Limit    int       `json:"limit" doc:"How many can count in a week: more with given standing than with earned, 0 with none"`
}

// principal answers with what the bearer's principal is to this service, and with its sources: one that a thief registered is seen here.
func (s *server) principal(ctx context.Context, _ *struct{}) (*bodyOutput[principalBody], error) {
	bearer, week := requestOf(ctx).identity, curator.WeekOf(s.Now())
	sources, err := s.Principals.PrincipalSources(ctx, bearer.Principal)
	if err != nil {
		return nil, err
	}
	held, err := s.Standings.StandingOf(ctx, bearer.Principal)
	if err != nil {
		return nil, err
	}
	made, err := s.Standings.ActsOfWeek(ctx, bearer, week)
	limit := WeeklyActs(s.Rules.Promotion, held)
	return &bodyOutput[principalBody]{principalBody{
		SourceID: bearer.SourceID, Standing: cmp.Or(held.Source, lore.StandingNone), Since: held.Since,
		Week:    weekBody{Begins: week, Made: made, Counting: min(made, limit), Limit: limit},
		Sources: append([]lore.OwnSource{}, sources[:min(len(sources), mostOwnSources)]...), Total: len(sources),
	}}, err
}

// WeeklyActs returns how many outcomes and flags of a week count with some standing.
func WeeklyActs(rules curator.PromotionRules, held lore.HeldStanding) int {
	if held.Source == "" {
		return 0
	}
	return rules.ActsOf(curator.Principal{Given: held.Source == lore.StandingGiven})
}

type endRequest struct {
	ID string `json:"id" format:"uuid" doc:"Id of the source"`
}

var exampleEnd = endRequest{ID: "01a20d6b-3e0a-73b4-b778-86abc232c361"}

type endBody struct {
	ID        string   `json:"id" format:"uuid" doc:"Id of the source"`
	Ended     []string `json:"ended" nullable:"false" doc:"The sources whose tokens are refused from now on: this one, and those that it registered, or they in turn"`
	Duplicate bool     `json:"duplicate,omitempty" doc:"true: their tokens were refused already"`
}

// endSource refuses the tokens of a source that the bearer's token registered. What it said stays.
func (s *server) endSource(ctx context.Context, input *bodyInput[endRequest]) (*storedOutput[endBody], error) {
	ended, err := s.Principals.End(ctx, requestOf(ctx).identity, input.Body.ID, s.Now())
	body := endBody{ID: input.Body.ID, Ended: append([]string{}, ended...), Duplicate: len(ended) == 0}
	return storedAnswer(len(ended) > 0, "/sources/"+body.ID, body), err
}
