package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// strict refuses what is not one message that every reader reads alike: a batch, which the protocol dropped, a member that stands
// twice, text behind the message, bytes that aren't UTF-8. The SDK takes the last of two members and leaves unread what stands
// behind the message. Named returns as much of a pointer into the message as an answer may repeat.
func strict(next http.Handler, named func(jsontext.Pointer) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, "failed to read body", http.StatusBadRequest)
			return
		}
		var message jsontext.Value
		if err := json.Unmarshal(body, &message); err != nil || message.Kind() != '{' {
			refuse(w, faultOf(err, named))
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// faultOf says what is wrong with a message, without a word of it that Named doesn't return.
func faultOf(err error, named func(jsontext.Pointer) string) string {
	fault, is := errors.AsType[*jsontext.SyntacticError](err)
	if !is || !errors.Is(err, jsontext.ErrDuplicateName) {
		return "the body must be one message, a JSON object in UTF-8 with nothing behind it"
	}
	if pointer := named(fault.JSONPointer); pointer != "" {
		return pointer + " must stand there once"
	}
	return "a member stands twice in its object"
}

// refuse answers with JSON-RPC's error for a message that can't be read, whose id nobody knows.
func refuse(w http.ResponseWriter, detail string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_ = json.MarshalWrite(w, map[string]any{ // a caller that went away needs no answer
		"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": jsonrpc.CodeParseError, "message": detail},
	}, json.Deterministic(true))
}

// Arguments are the arguments of a tool call by their names, as they were written.
type Arguments map[string]jsontext.Value

// readArguments reads a call's arguments.
func readArguments(text []byte) (Arguments, error) {
	given := Arguments{}
	if len(text) == 0 {
		return given, nil
	}
	if err := json.Unmarshal(text, &given); err != nil {
		return nil, errors.New("arguments must be a JSON object")
	}
	return given, nil
}

type argumentsKey struct{}

// ArgumentsOf returns the arguments of the tool call that a request was made of; nil: it comes over HTTP.
func ArgumentsOf(ctx context.Context) Arguments {
	arguments, _ := ctx.Value(argumentsKey{}).(Arguments)
	return arguments
}
