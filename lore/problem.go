package lore

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Code names a kind of problem. Codes are part of the interface: they never change their meaning.
type Code string

// Every code that a caller can meet.
const (
	CodeInvalidJSON          Code = "invalid_json"
	CodeInvalidCursor        Code = "invalid_cursor"
	CodeMissingToken         Code = "missing_token"
	CodeInvalidToken         Code = "invalid_token"
	CodeBanned               Code = "banned"
	CodeInvalidInvite        Code = "invalid_invite"
	CodeInviteRequired       Code = "invite_required"
	CodeNotFound             Code = "not_found"
	CodeErased               Code = "erased"
	CodeMethodNotAllowed     Code = "method_not_allowed"
	CodeNameTaken            Code = "name_taken"
	CodeIdempotencyInFlight  Code = "idempotency_in_flight"
	CodeIdempotencyMismatch  Code = "idempotency_mismatch"
	CodeBodyTooLarge         Code = "body_too_large"
	CodeUnsupportedMediaType Code = "unsupported_media_type"
	CodeRequestTimeout       Code = "request_timeout"
	CodeInvalidField         Code = "invalid_field"
	CodeInvalidFields        Code = "invalid_fields"
	CodeSecretInIdentity     Code = "secret_in_identity"
	CodeOwnItem              Code = "own_item"
	CodeChanged              Code = "changed"
	CodeNotYours             Code = "not_yours"
	CodeNotAmendable         Code = "not_amendable"
	CodeTooManyQuestions     Code = "too_many_questions"
	CodeNoStanding           Code = "no_standing"
	CodePageTooDeep          Code = "page_too_deep"
	CodeRateLimited          Code = "rate_limited"
	CodeQuota                Code = "quota"
	CodeStoreUnavailable     Code = "store_unavailable"
	CodeInternal             Code = "internal"
)

// Problem is an error that a caller is told about. Detail and Fields are for the caller and never hold what the caller
// sent, but for harmless names of members that are wrong; Cause is for the log alone.
type Problem struct {
	Code       Code
	Detail     string
	Fields     []FieldError
	RetryAfter time.Duration // when above zero: how long to wait before the next try
	Cause      error
}

// FieldError says what is wrong with one field of a request.
type FieldError struct {
	Pointer string   `json:"pointer" doc:"JSON pointer to the field, or the name of a query parameter" example:"/category"`
	Code    string   `json:"code" doc:"What is wrong: required, too_long, not_allowed and so on" example:"not_allowed"`
	Detail  string   `json:"detail" doc:"What it must be" example:"must be one of the allowed values"`
	Allowed []string `json:"allowed,omitempty" doc:"The allowed values, where there is a list"`
}

// Error returns code, detail and cause: it is for logs, not for callers.
func (p *Problem) Error() string {
	if p.Cause != nil {
		return fmt.Sprintf("%s: %s: %v", p.Code, p.Detail, p.Cause)
	}
	return fmt.Sprintf("%s: %s", p.Code, p.Detail)
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Cause }

// CodeOf returns the code of a problem, also of one that err wraps; "" for any other error and for nil.
func CodeOf(err error) Code {
	if problem, is := errors.AsType[*Problem](err); is {
		return problem.Code
	}
	return ""
}

// Retryable reports whether the same request may succeed later.
func (p *Problem) Retryable() bool {
	switch p.Code {
	case CodeRateLimited, CodeQuota, CodeStoreUnavailable, CodeIdempotencyInFlight, CodeRequestTimeout, CodeInternal:
		return true
	}
	return false
}

// InvalidFields returns the problem for faults in a request, or nil when there are none.
func InvalidFields(faults []FieldError) *Problem {
	switch len(faults) {
	case 0:
		return nil
	case 1:
		where := faults[0].Pointer
		if where == "" {
			where = "the request"
		}
		return &Problem{Code: CodeInvalidField, Detail: where + " " + faults[0].Detail, Fields: faults}
	}
	return &Problem{Code: CodeInvalidFields, Detail: fmt.Sprintf("%d fields are not valid; errors lists each", len(faults)), Fields: faults}
}

// NotFound returns the problem for an item that isn't there. Kind is what was looked for, as in "submission".
func NotFound(kind string) *Problem {
	return &Problem{Code: CodeNotFound, Detail: "there is no " + kind + " with this id"}
}

// Erased returns the problem for an item that an operator erased. Kind is what was looked for, as in "submission".
func Erased(kind string) *Problem {
	return &Problem{Code: CodeErased, Detail: "the " + kind + " with this id was erased by an operator, for good: delete your copies of it"}
}

// InvalidToken returns the problem for a token that belongs to no source, or no longer does.
func InvalidToken() *Problem {
	return &Problem{Code: CodeInvalidToken, Detail: "the token is unknown or was revoked; the operator can issue a new one for your name, or register under another one"}
}

// Changed returns the problem for a word on an item that says something else by now than the speaker saw. Revision is what it has now.
func Changed(item Target, revision string) *Problem {
	return &Problem{
		Code: CodeChanged,
		Detail: "the item says something else than the revision that you name: read it again, and send " +
			"this with the revision " + revision + " if it holds for these words too",
		Fields: []FieldError{{Pointer: "/revision", Code: "changed", Detail: "must be the item's present revision", Allowed: []string{revision}}},
	}
}

// NameTaken returns the problem for a name that another source has.
func NameTaken() *Problem {
	return &Problem{Code: CodeNameTaken, Detail: "another agent has this name or one that looks like it (case doesn't count); choose another one"}
}

// StoreUnavailable returns the problem for a store that can't answer now.
func StoreUnavailable(cause error) *Problem {
	return &Problem{
		Code:       CodeStoreUnavailable,
		Detail:     "the store can't answer now; nothing was acknowledged, though a write may have been carried out: send it again after the time in Retry-After, unchanged, and it counts once",
		RetryAfter: 2 * time.Second,
		Cause:      cause,
	}
}

// Retry tries something again while the store can't do it, with pauses, for as long as patience says or until ctx ends. It returns
// what the last attempt did, or why ctx ended.
func Retry[T any](ctx context.Context, patience, pause time.Duration, attempt func() (T, error)) (T, error) {
	for started := time.Now(); ; {
		result, err := attempt()
		var problem *Problem
		if !errors.As(err, &problem) || problem.Code != CodeStoreUnavailable || time.Since(started) >= patience {
			return result, err
		}
		select {
		case <-ctx.Done():
			return result, context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}
