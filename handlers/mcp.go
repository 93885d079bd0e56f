package handlers

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"agentlore/lore"
)

// mcpPath is where MCP clients connect.
const mcpPath = "/mcp"

// maxMessageBytes bounds a message of an MCP client: JSON may take twice as much for a body's text.
const maxMessageBytes = 2 * maxBodyBytes

// serveMCP lets the MCP handler answer. A tool call is a request of its own, with its own line in the log, and counts as such: once,
// in its operation's class. Every other message, and what is none, counts as a read.
func (s *server) serveMCP(handler http.Handler) gin.HandlerFunc {
	classes := map[string]rateClass{}
	for _, o := range s.operations {
		if o.Tool != nil {
			classes[o.Tool.name] = o.Class
		}
	}
	return func(c *gin.Context) {
		text, err := s.readBody(c, maxMessageBytes+1)
		var tool string
		if err == nil {
			tool, err = s.toolOf(text)
		}
		class, isTool := classes[tool]
		if !isTool {
			class = classRead
		}
		if refused := s.count(c, class); refused != nil && !isTool { // a tool's refusal is its result, which a model can read
			err = refused
		}
		if err != nil {
			s.writeProblem(c, err)
			return
		}
		handler.ServeHTTP(c.Writer, c.Request)
	}
}

// toolOf returns the name of the tool that a message calls, or nothing. It refuses what is not one message that every reader reads alike:
// a batch, which the protocol dropped, a member that stands twice, text behind the message, bytes that aren't UTF-8. The SDK takes the
// last of two members and leaves unread what stands behind the message.
func (s *server) toolOf(text []byte) (string, error) {
	if len(text) > maxMessageBytes {
		return "", &lore.Problem{Code: lore.CodeBodyTooLarge, Detail: "a message has at most 512 KiB"}
	}
	var whole jsontext.Value
	if err := unmarshalStrict(text, &whole); err != nil {
		return "", s.rules().unreadable(err.Error(), "the body must be one message, a JSON object in UTF-8 with nothing behind it")
	}
	if whole.Kind() == '[' {
		return "", &lore.Problem{
			Code: lore.CodeInvalidJSON, Detail: "the Model Context Protocol has no batches any more: send each message as a request of its own",
		}
	}
	var message struct {
		Method string `json:"method"`
		Params struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	if json.Unmarshal(whole, &message) != nil || message.Method != "tools/call" {
		return "", nil
	}
	return message.Params.Name, nil
}
