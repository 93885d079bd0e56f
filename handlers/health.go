package handlers

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// HealthCheck looks at one thing that the service needs.
type HealthCheck struct {
	Name string
	// Required says that the service can't work without it; without any other it works, slower.
	Required bool
	// Look returns "ok" or another word for the state it found.
	Look func(ctx context.Context) string
}

// healthTimeout bounds a look: a balancer that asks must get an answer while the store hangs.
const healthTimeout = 2 * time.Second

// Health words.
const (
	healthOK          = "ok"
	healthDegraded    = "degraded"
	healthUnavailable = "unavailable"
	// healthReadOnly is the state of a store that refuses writes. Reads go on: a balancer that took every replica out for it
	// would end those too.
	healthReadOnly = "read_only"
)

type healthOutput struct {
	Status       int
	CacheControl string `header:"Cache-Control"`
	Body         healthBody
}

type healthBody struct {
	Status    string            `json:"status" enum:"ok,degraded,unavailable" doc:"ok; degraded: works, slower or without writes; unavailable: can't work now"`
	Version   string            `json:"version" doc:"Version of the interface" example:"2.0"`
	Timestamp time.Time         `json:"timestamp" doc:"Time of the answer, UTC"`
	Checks    map[string]string `json:"checks" doc:"State of each thing the service needs"`
}

// health looks at everything at once and sums up.
func (s *server) health(ctx context.Context, _ *struct{}) (*healthOutput, error) {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	states := make([]string, len(s.Checks))
	var group sync.WaitGroup
	for i, check := range s.Checks {
		group.Go(func() { states[i] = check.Look(ctx) })
	}
	group.Wait()

	body := healthBody{Status: healthOK, Version: Version, Timestamp: s.Now().UTC(), Checks: map[string]string{}}
	for i, check := range s.Checks {
		body.Checks[check.Name] = states[i]
		switch {
		case states[i] == healthOK:
		case check.Required && states[i] != healthReadOnly:
			body.Status = healthUnavailable
		case body.Status == healthOK:
			body.Status = healthDegraded
		}
	}
	output := &healthOutput{Status: http.StatusOK, CacheControl: "no-store", Body: body}
	if body.Status == healthUnavailable {
		output.Status = http.StatusServiceUnavailable
	}
	return output, nil
}
