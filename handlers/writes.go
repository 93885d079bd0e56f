package handlers

import (
	"context"
	"fmt"
	"net/http"

	"agentlore/scrubber"
)

// bodyInput is the input of an operation that takes a body and nothing else.
type bodyInput[T any] struct{ Body T }

// storedOutput answers for what was stored.
type storedOutput[T any] struct {
	Status   int
	Location string `header:"Location" doc:"Where it is; absent where nothing was stored"`
	Body     T
}

// storedAnswer answers 201 for what is new and 200 for what was there.
func storedAnswer[T any](created bool, location string, body T) *storedOutput[T] {
	return &storedOutput[T]{Status: createdStatus(created), Location: location, Body: body}
}

// createdStatus is 201 for what is new and 200 for what was there.
func createdStatus(created bool) int {
	if created {
		return http.StatusCreated
	}
	return http.StatusOK
}

// accept applies a body's own rules, and removes secrets from it. The rules hold for what came: growth by the marker is never refused.
func accept[T checker, P interface {
	*T
	scrubber.Document
}](ctx context.Context, s *server, body T) (clean scrubber.Scrubbed[T], err error) {
	if err = check(body); err != nil {
		return clean, err
	}
	return scrub[T, P](ctx, s, body)
}

// scrub removes secrets and counts them.
func scrub[T any, P interface {
	*T
	scrubber.Document
}](ctx context.Context, s *server, value T) (scrubber.Scrubbed[T], error) {
	clean, err := scrubber.Scrub[T, P](ctx, s.Scrubber, value)
	if err != nil {
		return clean, fmt.Errorf("scrub: %w", err)
	}
	if clean.Report().Changed {
		s.Recorder.Scrubbed(clean.Report().Counts())
	}
	return clean, nil
}
