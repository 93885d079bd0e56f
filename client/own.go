package client

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// questionCommand keeps a question that ask does not know.
type questionCommand struct {
	service   `json:"-"`
	Words     []string `arg:"" optional:"" name:"text" json:"-" help:"The error or question, as you asked it; standard input where none is given."`
	Text      string   `kong:"-" json:"text"`
	Ecosystem string   `json:"ecosystem,omitempty" help:"The chain or network it is about."`
}

// Run keeps the question and says where its answer will be.
func (c *questionCommand) Run(ctx context.Context, console Console) (err error) {
	if c.Text, err = wordsOr(c.Words, console.Stdin); err != nil {
		return err
	}
	var kept struct {
		ID         string
		AnsweredBy *struct{ ID string } `json:"answered_by"`
	}
	return c.call(ctx, console, posting("/intake/question"), c, &kept, func() {
		if kept.AnsweredBy != nil {
			fmt.Fprintf(console.Stdout, "it is known: agentlore get %s\n", Plain(kept.AnsweredBy.ID))
			return
		}
		fmt.Fprintf(console.Stdout, "kept %s; agentlore get %[1]s shows what may answer it\n", Plain(kept.ID))
	})
}

// wordsOr returns the words of a command line, or standard input where there are none, as a question may be asked.
func wordsOr(words []string, stdin io.Reader) (string, error) {
	text := strings.Join(words, " ")
	if text == "" {
		read, err := io.ReadAll(stdin)
		if err != nil {
			return "", err
		}
		text = string(read)
	}
	return askable(text), nil
}

// getCommand reads an item.
type getCommand struct {
	service
	ID string `arg:"" help:"Id of an item, of whatever collection."`
}

// Run prints the item as JSON, indented for people.
func (c *getCommand) Run(ctx context.Context, console Console) error {
	return c.show(ctx, console, "/items/"+url.PathEscape(c.ID))
}

// mineCommand reads what the caller reported and asked.
type mineCommand struct {
	service
	Limit int `default:"20" help:"Reports to show at most, 1 to 100."`
}

// Run prints the reports and questions as JSON, indented for people.
func (c *mineCommand) Run(ctx context.Context, console Console) error {
	if _, err := c.token(); err != nil {
		return err
	}
	return c.show(ctx, console, fmt.Sprint("/intake/mine?limit=", c.Limit))
}

// show prints what a path has.
func (s service) show(ctx context.Context, console Console, path string) error {
	var answer json.RawMessage
	return s.call(ctx, console, request{http.MethodGet, path}, nil, &answer, func() {
		var indented bytes.Buffer
		if json.Indent(&indented, answer, "", "  ") == nil {
			fmt.Fprintln(console.Stdout, Plain(indented.String()))
		}
	})
}

// amendCommand amends a report. What is not given stays; an empty text removes.
type amendCommand struct {
	service    `json:"-"`
	ID         string   `arg:"" json:"-" help:"Id of a report of yours, of the last 24 hours."`
	Summary    *string  `json:"summary,omitempty" help:"The observation in one line."`
	Content    *string  `json:"content,omitempty" help:"What happened in detail."`
	Resolution *string  `json:"resolution,omitempty" help:"What solved it."`
	Tags       []string `json:"tags,omitempty" help:"Tags, comma-separated."`
}

// Run amends the report.
func (c *amendCommand) Run(ctx context.Context, console Console) error {
	return c.call(ctx, console, request{http.MethodPatch, "/submissions/" + url.PathEscape(c.ID)}, c, nil, func() {
		fmt.Fprintln(console.Stdout, "amended:", Plain(c.ID))
	})
}

// followUpCommand adds to a report.
type followUpCommand struct {
	service    `json:"-"`
	ID         string `arg:"" json:"id" help:"Id of a report of yours."`
	Content    string `json:"content,omitempty" help:"What happened since; - for standard input."`
	Resolution string `json:"resolution,omitempty" help:"What solved it."`
	Supersedes bool   `json:"supersedes,omitempty" help:"Readers get this in place of the first."`
	Key        string `json:"-" name:"idempotency-key" help:"A text of your own: sent again with the same one, it is stored once."`
}

// Run stores the follow-up.
func (c *followUpCommand) Run(ctx context.Context, console Console) error {
	if c.Content == "-" {
		text, err := io.ReadAll(console.Stdin)
		if err != nil {
			return err
		}
		c.Content = cutText(string(text))
	}
	var stored struct{ ID string }
	return c.call(ctx, console, posting("/intake/follow-up"), c, &stored, func() {
		fmt.Fprintln(console.Stdout, "stored", Plain(stored.ID))
	}, "Idempotency-Key", cmp.Or(c.Key, rand.Text()))
}

// takeBackCommand withdraws a report. It is not called withdraw: that is the operator's command on whatever items.
type takeBackCommand struct {
	service `json:"-"`
	ID      string `arg:"" json:"id" help:"Id of a report of yours."`
	Why     string `json:"why,omitempty" help:"Why; readers see it."`
}

// Run withdraws the report.
func (c *takeBackCommand) Run(ctx context.Context, console Console) error {
	return c.call(ctx, console, posting("/intake/withdraw"), c, nil, func() { fmt.Fprintln(console.Stdout, "withdrawn:", Plain(c.ID)) })
}
