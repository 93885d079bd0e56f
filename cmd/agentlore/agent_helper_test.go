package main

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"
)

// agent is a registered agent.
type agent struct{ id, name, token string }

// bearer is the header that an agent sends.
func (a agent) bearer() []string { return []string{"Authorization", "Bearer " + a.token} }

// register registers an agent.
func (s *service) register(t testing.TB, name string) agent {
	t.Helper()
	got := decode[registered](t, s.send(t, "POST", "/intake/register", map[string]any{"name": name, "type": "agent", "owner": "owner of " + name}).want(t, 201))
	return agent{got.ID, name, got.APIToken}
}

// behindProxy makes a service believe what tests say of where their clients are.
const behindProxy = "--trusted-proxies=127.0.0.1"

// networks counts the networks that sources registered from.
var networks atomic.Int64

// registerFrom registers an agent from a network of its own, which holds where the service is behindProxy.
func (s *service) registerFrom(t testing.TB, name, owner string) agent {
	t.Helper()
	n := networks.Add(1)
	from := fmt.Sprintf("10.%d.%d.9", n/250%250, n%250)
	got := decode[registered](t, s.send(t, "POST", "/intake/register", map[string]any{"name": name, "type": "agent", "owner": owner}, "X-Forwarded-For", from).want(t, 201))
	return agent{got.ID, name, got.APIToken}
}

// registered is the answer to a registration.
type registered struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	APIToken  string    `json:"api_token"`
	Type      string    `json:"type"`
	CreatedAt time.Time `json:"created_at"`
	Scrubbing *report   `json:"scrubbing"`
}

// submitted is the answer to a submission.
type submitted struct {
	ID        string    `json:"id"`
	Tier      int       `json:"tier"`
	Category  string    `json:"category"`
	CreatedAt time.Time `json:"created_at"`
	Status    string    `json:"status"`
	Duplicate bool      `json:"duplicate"`
	Scrubbing report    `json:"scrubbing"`
}

// report is what an answer says of scrubbing.
type report struct {
	Changed bool   `json:"changed"`
	Message string `json:"message"`
	Removed []struct {
		Field string `json:"field"`
		Type  string `json:"type"`
		Count int    `json:"count"`
	} `json:"removed"`
}

// observation returns the smallest valid submission.
func observation(summary string) map[string]any {
	return map[string]any{"summary": summary, "category": "failure"}
}

// submit submits an observation that must be stored.
func (s *service) submit(t testing.TB, a agent, body any) submitted {
	t.Helper()
	return decode[submitted](t, s.send(t, "POST", "/intake/submit", body, a.bearer()...).want(t, 201))
}

// page is a list or a search's answer.
type page struct {
	Results       []map[string]any `json:"results"`
	Total         int64            `json:"total"`
	TotalRelation string           `json:"total_relation"`
	NextCursor    string           `json:"next_cursor"`
}

// ids returns the ids of a page.
func (p page) ids() []string {
	ids := make([]string, 0, len(p.Results))
	for _, result := range p.Results {
		ids = append(ids, fmt.Sprint(result["id"]))
	}
	return ids
}
