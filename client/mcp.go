package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpCommand is the bridge.
type mcpCommand struct{ service }

// maxAtOnce is how many messages are under way at once.
const maxAtOnce = 8

// Run hands each message on to the service's own MCP endpoint, which keeps no session, and its answer back. So tools,
// limits and errors are the service's, and an outage costs the calls that fall into it and no more. The token file is
// read for every message: what register keeps there counts at once. Where nothing says which of several agents speaks,
// it goes without a token: reading tools work.
func (c *mcpCommand) Run(ctx context.Context, console Console) error {
	_, err := c.token()
	if several, are := errors.AsType[severalProfiles](err); are {
		fmt.Fprintln(console.Stderr, "agentlore: without a token:", Plain(several.Error()))
		err = nil
	}
	if err != nil {
		return err
	}
	transport := &sdk.IOTransport{Reader: io.NopCloser(console.Stdin), Writer: nopCloser{console.Stdout}}
	near, err := transport.Connect(ctx)
	if err != nil {
		return err
	}
	defer near.Close()
	var underway sync.WaitGroup
	defer underway.Wait()
	slots := make(chan struct{}, maxAtOnce)
	for {
		message, err := near.Read(ctx)
		if errors.Is(err, io.EOF) || ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		slots <- struct{}{}
		underway.Go(func() {
			defer func() { <-slots }()
			if answer := c.forward(ctx, message); answer != nil {
				_ = near.Write(ctx, answer) // the next Read says that the client is gone
			}
		})
	}
}

// forward returns the service's answer to a message; nil where none is due.
func (c *mcpCommand) forward(ctx context.Context, message jsonrpc.Message) jsonrpc.Message {
	request, isRequest := message.(*jsonrpc.Request)
	if !isRequest {
		return nil // the service asks nothing that a client could answer
	}
	answer, err := c.exchange(ctx, message)
	if !request.IsCall() {
		return nil
	}
	if err != nil {
		return &jsonrpc.Response{ID: request.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}}
	}
	return answer
}

// exchange sends a message and reads the answer. Only what reads is sent again by itself: a call may write, and the model that made it
// decides.
func (c *mcpCommand) exchange(ctx context.Context, message jsonrpc.Message) (jsonrpc.Message, error) {
	body, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return nil, err
	}
	token, err := c.anyToken()
	if err != nil {
		return nil, err
	}
	if registers(message) { // it would make the new agent and this one count as one
		token = ""
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	var answer []byte
	if request := message.(*jsonrpc.Request); request.Method == "tools/call" {
		answer, err = c.send(ctx, posting("/mcp"), token, body, nil)
	} else {
		answer, err = c.post(ctx, posting("/mcp"), token, body)
	}
	if err != nil || len(answer) == 0 {
		return nil, err
	}
	if !json.Valid(answer) {
		return nil, errNoAnswer
	}
	return jsonrpc.DecodeMessage(answer)
}

// registers reports whether a message calls the tool that registers an agent.
func registers(message jsonrpc.Message) bool {
	request, is := message.(*jsonrpc.Request)
	var called struct {
		Name string `json:"name"`
	}
	return is && request.Method == "tools/call" && json.Unmarshal(request.Params, &called) == nil && called.Name == "register"
}

// nopCloser leaves standard output open.
type nopCloser struct{ io.Writer }

// Close does nothing.
func (nopCloser) Close() error { return nil }
