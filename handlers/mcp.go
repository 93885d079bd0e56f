package handlers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"

	"github.com/gin-gonic/gin"

	"agentlore/handlers/admit"
	"agentlore/lore"
)

// mcpPath is where MCP clients connect.
const mcpPath = "/mcp"

// maxMessageBytes bounds a message of an MCP client: JSON may take twice as much for a body's text.
const maxMessageBytes = 2 * maxBodyBytes

// serveMCP lets the MCP handler answer. A tool call is a request of its own, with its own line in the log, and counts as such: once,
// in its operation's class. Every other message, and what is none, counts as a read.
func (s *server) serveMCP(handler http.Handler) gin.HandlerFunc {
	classes := map[string]rateClass{getTool.Name: classRead}
	for _, o := range s.operations {
		if o.Tool != "" {
			classes[o.Tool] = o.Class
		}
	}
	return func(c *gin.Context) {
		requestOf(c.Request.Context()).route = mcpPath
		text, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, maxMessageBytes))
		if err != nil {
			s.count(c, classRead)
			s.writeProblem(c, unread(err))
			return
		}
		class, isTool := classes[toolOf(text)]
		if !isTool {
			class = classRead
		}
		if !s.count(c, class) && !isTool { // a tool's refusal is its result, which a model can read
			s.refuseCounted(c)
			return
		}
		if bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("[")) {
			s.writeProblem(c, &lore.Problem{Code: lore.CodeInvalidJSON, Detail: "the Model Context Protocol has no batches any more: send each message as a request of its own"})
			return
		}
		c.Request.Body = io.NopCloser(bytes.NewReader(text))
		handler.ServeHTTP(c.Writer, c.Request)
	}
}

// toolOf returns the name of the tool that a message calls, or nothing. It decides nothing but what the call counts as first: a
// call whose operation turns out to be of another class is counted there too.
func toolOf(text []byte) string {
	var message, params map[string]json.RawMessage // maps, for a struct takes Method for method
	var method, name string
	_ = json.Unmarshal(text, &message) // what isn't there is empty
	_ = json.Unmarshal(message["method"], &method)
	_ = json.Unmarshal(message["params"], &params)
	_ = json.Unmarshal(params["name"], &name)
	if method != "tools/call" {
		return ""
	}
	return name
}

// unread says why a message could not be read.
func unread(err error) error {
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return &lore.Problem{Code: lore.CodeBodyTooLarge, Detail: "a message has at most 512 KiB"}
	case errors.Is(err, admit.ErrFull):
		return overloaded()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &lore.Problem{Code: lore.CodeRequestTimeout, Detail: "the body did not arrive in time: send it again"}
	}
	return &lore.Problem{Code: lore.CodeInvalidJSON, Detail: "the body could not be read", Cause: err}
}
