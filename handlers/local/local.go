// Package local asks a handler of this process, as a client would.
package local

import (
	"bytes"
	"net/http"
)

// Answer is what a handler answered.
type Answer struct {
	Status int
	Body   bytes.Buffer
	header http.Header
}

// Ask returns the handler's answer to a request, when it is whole.
func Ask(handler http.Handler, request *http.Request) *Answer {
	answer := &Answer{Status: http.StatusOK, header: http.Header{}}
	handler.ServeHTTP(answer, request)
	return answer
}

// Header returns the answer's headers.
func (a *Answer) Header() http.Header { return a.header }

// WriteHeader keeps the status.
func (a *Answer) WriteHeader(status int) { a.Status = status }

// Write keeps the body.
func (a *Answer) Write(part []byte) (int, error) { return a.Body.Write(part) }

// Flush does nothing: the answer is read when it is whole.
func (a *Answer) Flush() {}
