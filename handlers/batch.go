package handlers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/errgroup"

	"agentlore/lore"
)

const (
	// batchID is the operationId.
	batchID = "submit-batch"
	// mostBatched is how many observations a batch may have.
	mostBatched = 100
	// batchAtOnce is how many of a batch are stored at a time. They share bulk requests, and one client must not fill all of those.
	batchAtOnce = 16
)

// batchItem is an observation of a batch.
type batchItem struct {
	lore.Observation
	IdempotencyKey string `json:"idempotency_key,omitempty" pattern:"^[!#-~]([ !#-~]{0,126}[!#-~])?$" patternDescription:"1 to 128 visible ASCII characters" doc:"As the header Idempotency-Key of POST /intake/submit, for this one"`
}

var exampleBatch = []batchItem{{exampleObservation, "7c1e"}}

// batchContent describes the bodies that a batch may have.
func (s *server) batchContent() map[string]*huma.MediaType {
	item, most := s.schemas.Schema(reflect.TypeFor[batchItem](), true, ""), mostBatched
	return map[string]*huma.MediaType{
		"application/json": {Schema: &huma.Schema{Type: huma.TypeArray, Items: item, MaxItems: &most}},
		linesType:          {Schema: &huma.Schema{Type: huma.TypeString, Description: "One such object a line"}},
	}
}

// batchInput is a body that is read item by item: one that can't be read must not cost the others.
type batchInput struct {
	RawBody []byte
	request *gin.Context
}

// Resolve keeps the request, whose limits count each item.
func (b *batchInput) Resolve(ctx huma.Context) []error {
	b.request = humagin.Unwrap(ctx)
	return nil
}

type batchBody struct {
	Results    []batchResult `json:"results" nullable:"false" doc:"What became of each, in the order sent"`
	Stored     int           `json:"stored" doc:"How many are new"`
	Duplicates int           `json:"duplicates" doc:"How many were there already"`
	Refused    int           `json:"refused" doc:"How many were not stored: mend those, or send them again where retryable is true"`
}

type batchResult struct {
	Status  int         `json:"status" doc:"The status that POST /intake/submit answers with: 201 stored, 200 it was there already, or a problem's"`
	Answer  *submitBody `json:"answer,omitempty" doc:"Its answer, where it is stored"`
	Problem *problem    `json:"problem,omitempty" doc:"Why it isn't; pointers are within the item"`
}

// submitBatch submits each of a batch as if it came alone: with its own place in the rate limit, its own check and its own answer. So
// what is sent again after a lost answer, or at the same moment, is stored once.
func (s *server) submitBatch(ctx context.Context, input *batchInput) (*bodyOutput[batchBody], error) {
	items, err := itemsOf(input.RawBody, input.request.ContentType())
	if err != nil {
		return nil, err
	}
	known := requestOf(ctx)
	known.batch = true
	answers, faults := make([]*submitOutput, len(items)), make([]error, len(items))
	var pending []int
	for i := range items {
		if i > 0 { // the first counted as the request
			known.counted = nil
			faults[i] = s.count(input.request, classWrite)
		}
		if faults[i] == nil {
			pending = append(pending, i)
		}
	}
	_ = s.awaitFirst(ctx, func() error { // each item has its own fault
		var work errgroup.Group
		work.SetLimit(batchAtOnce)
		for _, i := range pending {
			work.Go(func() error {
				answers[i], faults[i] = s.submitItem(ctx, items[i])
				return nil
			})
		}
		_ = work.Wait()
		pending = slices.DeleteFunc(pending, func(i int) bool { return lore.CodeOf(faults[i]) != lore.CodeIdempotencyInFlight })
		if len(pending) == 0 {
			return nil
		}
		return faults[pending[0]]
	})
	body := batchBody{Results: make([]batchResult, len(items))}
	for i, answer := range answers {
		switch {
		case faults[i] != nil:
			fault := s.problemOf(ctx, faults[i])
			body.Results[i] = batchResult{Status: fault.Status, Problem: fault}
			body.Refused++
			continue
		case answer.Body.Duplicate || answer.Status == http.StatusOK:
			body.Duplicates++
		default:
			body.Stored++
			known.stored += int64(len(items[i]))
		}
		body.Results[i] = batchResult{Status: answer.Status, Answer: &answer.Body}
	}
	known.code = "" // the request itself is answered
	return &bodyOutput[batchBody]{body}, nil
}

// submitItem submits one item of a batch. What panics is that item's fault alone.
func (s *server) submitItem(ctx context.Context, text []byte) (answer *submitOutput, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v", reflect.TypeOf(fault)) // its text may quote the item
		}
	}()
	item, err := s.batchItems.Decode(text)
	if err != nil {
		return nil, err
	}
	return s.submit(ctx, &submitInput{OnceInput{item.IdempotencyKey}, item.Observation})
}

// itemsOf divides a body into its items, unread: those of an array, or of linesType lines. Errors: unsupported_media_type, invalid_json,
// invalid_fields.
func itemsOf(body []byte, contentType string) (items [][]byte, err error) {
	if contentType != "application/json" && contentType != linesType {
		return nil, &lore.Problem{
			Code: lore.CodeUnsupportedMediaType, Detail: "send a JSON array with Content-Type: application/json, or lines with " + linesType,
		}
	}
	if begin := bytes.TrimLeft(body, jsonSpace); contentType != linesType && len(begin) > 0 || bytes.HasPrefix(begin, []byte("[")) {
		var whole jsontext.Value
		var values []jsontext.Value
		err := json.Unmarshal(body, &whole, jsontext.AllowDuplicateNames(true))
		if err == nil && whole.Kind() != '[' {
			return nil, lore.InvalidFields([]lore.FieldError{{
				Pointer: "/", Code: codeWrongType, Detail: "must be an array of observations; for one a line the Content-Type is " + linesType + "; nothing was stored",
			}})
		}
		if err == nil {
			err = json.Unmarshal(whole, &values, jsontext.AllowDuplicateNames(true))
		}
		if fault, is := errors.AsType[*jsontext.SyntacticError](err); is {
			err = malformedError(body, fault)
		}
		if err != nil {
			problem := inputRules{}.unreadable(err.Error(), "the body isn't one array in UTF-8")
			problem.Detail += "; nothing was stored"
			return nil, problem
		}
		for _, value := range values {
			items = append(items, value)
		}
	} else {
		for line := range bytes.Lines(body) {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				items = append(items, line)
			}
		}
	}
	switch {
	case len(items) == 0:
		return nil, &lore.Problem{Code: lore.CodeInvalidJSON, Detail: "the body holds no observation: send an array, or one object a line"}
	case len(items) > mostBatched:
		return nil, lore.InvalidFields([]lore.FieldError{{
			Pointer: "/", Code: "too_many", Detail: fmt.Sprintf("must have at most %d items; nothing was stored", mostBatched),
		}})
	}
	return items, nil
}
