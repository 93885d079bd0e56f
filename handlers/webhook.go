package handlers

import (
	"context"
	"net/url"
	"time"

	"agentlore/lore"
)

// WebhookStore keeps the webhooks of sources.
type WebhookStore interface {
	// Hook returns a bearer's webhook; nil: it has none. Errors: store_unavailable.
	Hook(ctx context.Context, bearer lore.Identity) (*lore.Hook, error)
	// SetHook gives a bearer this webhook in place of the one that it has; nil: none. Errors: invalid_token, store_unavailable.
	SetHook(ctx context.Context, bearer lore.Identity, hook *lore.Hook) error
}

var exampleWebhook = lore.Webhook{URL: "https://agent.example/hook", Ecosystem: "ethereum"}

// webhookBody is a webhook as its source sees it.
type webhookBody struct {
	Status    string         `json:"status" enum:"active,disabled,none" doc:"disabled: it failed too often, or answered 410; PUT it again; none: you have none"`
	URL       string         `json:"url,omitempty" doc:"Where messages go"`
	Category  lore.Category  `json:"category,omitempty" doc:"Only this category"`
	Ecosystem string         `json:"ecosystem,omitempty" doc:"Only this ecosystem"`
	Tag       string         `json:"tag,omitempty" doc:"Only what has this tag"`
	Secret    string         `json:"secret,omitempty" doc:"The key of the signatures, shown this once"`
	Failures  int            `json:"failures,omitempty" doc:"Failures since the last success"`
	LastError lore.HookFault `json:"last_error,omitempty" enum:"no_answer,refused,gone" doc:"Of what class the last failure was. no_answer: no HTTPS answer within 5 s, or the address is not one that messages go to; refused: an answer that is not 2xx; gone: 410"`
	NextAt    time.Time      `json:"next_at,omitzero" doc:"When the message that failed is sent again, UTC"`
	SentAt    time.Time      `json:"sent_at,omitzero" doc:"When the last message was taken, UTC"`
	CreatedAt time.Time      `json:"created_at,omitzero" doc:"When it was set, UTC"`
}

// webhookAnswer shows a webhook without its secret; nil: there is none.
func webhookAnswer(hook *lore.Hook) *bodyOutput[webhookBody] {
	if hook == nil {
		return &bodyOutput[webhookBody]{webhookBody{Status: "none"}}
	}
	status := "disabled"
	if hook.Active {
		status = "active"
	}
	return &bodyOutput[webhookBody]{webhookBody{
		Status: status, URL: hook.URL, Category: hook.Category, Ecosystem: hook.Ecosystem, Tag: hook.Tag, Failures: hook.Failures,
		LastError: hook.LastError, NextAt: hook.NextAt, SentAt: hook.SentAt, CreatedAt: hook.CreatedAt,
	}}
}

// setWebhook gives the bearer a webhook with a new secret. The address is kept as it came: its source alone sees it, and it may have a
// secret part that it doesn't work without.
func (s *server) setWebhook(ctx context.Context, input *bodyInput[lore.Webhook]) (*bodyOutput[webhookBody], error) {
	if err := check(input.Body); err != nil {
		return nil, err
	}
	if err := s.Rules.Safety.Refusal(input.Body); err != nil {
		return nil, err
	}
	address, err := url.Parse(input.Body.URL)
	if err != nil || !s.WebhookHost(address.Hostname()) {
		return nil, lore.InvalidFields([]lore.FieldError{{
			Pointer: "/url", Code: "not_public",
			Detail: "must be of the public internet: nothing is sent to localhost or to private, link-local and reserved addresses",
		}})
	}
	if !s.WebhookPort(address.Port()) {
		return nil, lore.InvalidFields([]lore.FieldError{{
			Pointer: "/url", Code: "not_allowed", Detail: "must be of port 443, or of another that this service's operator allows",
		}})
	}
	bearer := requestOf(ctx).identity
	held, err := s.Standings.StandingOf(ctx, bearer.Principal)
	if err == nil && held == (lore.HeldStanding{}) {
		err = &lore.Problem{Code: lore.CodeNoStanding, Detail: "webhooks are for sources with standing, which confirmed reports earn; " +
			"read /feed.json with If-None-Match until then"}
	}
	if err != nil {
		return nil, err
	}
	now := s.Now().UTC().Truncate(time.Millisecond)
	filter := FeedFilter(string(input.Body.Category), input.Body.Ecosystem, input.Body.Tag)
	hook := lore.Hook{Webhook: input.Body, Secret: s.WebhookSecret(), Active: true, Sent: lore.Position{CreatedAt: now}, CreatedAt: now}
	hook.Ecosystem, hook.Tag = filter.Ecosystem, filter.Tag
	if err := s.Webhooks.SetHook(ctx, bearer, &hook); err != nil {
		return nil, err
	}
	answer := webhookAnswer(&hook)
	answer.Body.Secret = hook.Secret
	return answer, nil
}

// webhook answers with the bearer's webhook.
func (s *server) webhook(ctx context.Context, _ *struct{}) (*bodyOutput[webhookBody], error) {
	hook, err := s.Webhooks.Hook(ctx, requestOf(ctx).identity)
	return webhookAnswer(hook), err
}

// dropWebhook ends the bearer's webhook.
func (s *server) dropWebhook(ctx context.Context, _ *struct{}) (*bodyOutput[webhookBody], error) {
	return webhookAnswer(nil), s.Webhooks.SetHook(ctx, requestOf(ctx).identity, nil)
}
