package main

import (
	"net/http"
	"slices"
	"testing"
)

// problem is an error answer.
type problem struct {
	Type      string `json:"type"`
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Detail    string `json:"detail"`
	Instance  string `json:"instance"`
	Code      string `json:"code"`
	Retryable *bool  `json:"retryable"`
	RequestID string `json:"request_id"`
	Errors    []struct {
		Pointer string   `json:"pointer"`
		Code    string   `json:"code"`
		Detail  string   `json:"detail"`
		Allowed []string `json:"allowed"`
	} `json:"errors"`
}

// retryable are the codes whose request may succeed later.
var retryable = []string{"rate_limited", "quota", "store_unavailable", "idempotency_in_flight", "internal"}

// wantProblem fails unless the answer is this problem, complete and in the one shape of all problems. Pointers are those
// of its errors, in any order.
func wantProblem(t *testing.T, got answer, status int, code string, pointers ...string) problem {
	t.Helper()
	if got.status != status {
		t.Errorf("status %d, want %d %s: %.400s", got.status, status, code, got.body)
		return problem{}
	}
	if media := got.header.Get("Content-Type"); media != "application/problem+json" {
		t.Errorf("Content-Type is %q, want application/problem+json", media)
	}
	p := decode[problem](t, got)
	if p.Code != code {
		t.Errorf("code is %q, want %q: %.400s", p.Code, code, got.body)
	}
	if p.Status != status || p.Title != http.StatusText(status) || p.Detail == "" {
		t.Errorf("status, title and detail are %d, %q and %q", p.Status, p.Title, p.Detail)
	}
	wantType := "urn:agentlore:problem:" + code
	if status == http.StatusTooManyRequests {
		wantType = "https://iana.org/assignments/http-problem-types#quota-exceeded"
	}
	if p.Type != wantType {
		t.Errorf("type is %q, want %q", p.Type, wantType)
	}
	if p.RequestID == "" || p.RequestID != got.header.Get("X-Request-ID") {
		t.Errorf("request_id is %q and X-Request-ID %q", p.RequestID, got.header.Get("X-Request-ID"))
	}
	if want := slices.Contains(retryable, code); p.Retryable == nil || *p.Retryable != want {
		t.Errorf("retryable is %v, want %v", p.Retryable, want)
	}
	var found []string
	for _, fault := range p.Errors {
		found = append(found, fault.Pointer)
		if fault.Code == "" || fault.Detail == "" {
			t.Errorf("a fault lacks its code or detail: %+v", fault)
		}
	}
	slices.Sort(found)
	slices.Sort(pointers)
	if !slices.Equal(found, pointers) {
		t.Errorf("errors point to %q, want %q: %.400s", found, pointers, got.body)
	}
	return p
}
