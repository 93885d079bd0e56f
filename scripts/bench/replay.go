package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// replay is a transport that sends what the service once sent for a question, straight to Elasticsearch. The question is
// named by its number in a header. Where the service sent two requests, both are sent, one after the other, and the
// answer to the last is the answer: the load generator then times their sum.
type replay struct {
	base      string // of Elasticsearch
	questions [][]recorded
	plain     http.RoundTripper // answers as they are
	packed    http.RoundTripper // asks for gzip and unpacks, as Go's client does by itself
}

func newReplay(base string, questions [][]recorded) *replay {
	plain := newTransport()
	plain.DisableCompression = true
	return &replay{base: base, questions: questions, plain: plain, packed: newTransport()}
}

// questionHeader holds a question's number.
const questionHeader = "X-Bench-Question"

func (r *replay) RoundTrip(request *http.Request) (*http.Response, error) {
	number, err := strconv.Atoi(request.Header.Get(questionHeader))
	if err != nil || number < 0 || number >= len(r.questions) {
		return nil, fmt.Errorf("no question %q", request.Header.Get(questionHeader))
	}
	var answer *http.Response
	for i, sent := range r.questions[number] {
		if i > 0 {
			if _, err := io.Copy(io.Discard, answer.Body); err != nil {
				return nil, err
			}
			answer.Body.Close()
		}
		if answer, err = r.send(request, sent); err != nil {
			return nil, err
		}
		if answer.StatusCode != http.StatusOK {
			break
		}
	}
	return answer, nil
}

func (r *replay) send(request *http.Request, sent recorded) (*http.Response, error) {
	again, err := http.NewRequestWithContext(request.Context(), sent.method, r.base+sent.path, bytes.NewReader(sent.body))
	if err != nil {
		return nil, err
	}
	again.Header = sent.header.Clone()
	if again.Header.Get("Accept-Encoding") != "gzip" {
		return r.plain.RoundTrip(again)
	}
	again.Header.Del("Accept-Encoding")
	return r.packed.RoundTrip(again)
}
