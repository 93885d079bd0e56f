package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"agentlore/ask"
	"agentlore/scrubber"
)

// Of a text that is longer than a question may be, the beginning and the end are asked about, in characters: a compiler names the first
// fault first, a program's last words come last.
const (
	headCharacters = 6_000
	tailCharacters = 13_000
)

// askCommand asks. Like the other commands it is the body that it sends.
type askCommand struct {
	service   `json:"-"`
	Words     []string `arg:"" optional:"" name:"text" json:"-" help:"The error or question; standard input where none is given."`
	Text      string   `kong:"-" json:"text"`
	Ecosystem string   `json:"ecosystem,omitempty" help:"What holds for this ecosystem, or for all, comes first."`
	Limit     int      `json:"limit,omitempty" help:"Problems to name at most, 1 to 5."`
	Tried     []string `json:"tried,omitempty" placeholder:"ID" help:"Problems whose fixes did not help: they are left out."`
	More      string   `json:"more,omitempty" placeholder:"TEXT" help:"What you have found out since you asked: what look up named, further lines, versions."`
}

// Run prints the answer. Its error is an Exit unless the answer is known.
func (c *askCommand) Run(ctx context.Context, console Console) error {
	text, err := wordsOr(c.Words, console.Stdin)
	if err != nil {
		return err
	}
	c.Text, c.More = text, askable(c.More)
	var answer ask.Answer
	if err := c.call(ctx, console, posting("/ask"), c, &answer, func() { c.printer(console.Stdout).answer(answer) }); err != nil {
		return err
	}
	switch answer.Verdict {
	case ask.Known:
		return nil
	case ask.Similar:
		return ExitSimilar
	}
	return ExitUnknown
}

// rules are the service's own for what must not be public.
var rules = sync.OnceValue(func() *scrubber.Scrubber { return scrubber.New(scrubber.Config{}) })

// askable returns a text as it is asked about: cut, and without secrets, which so don't leave this machine.
func askable(text string) string { return rules().Text(cutText(text)) }

// cutText returns a text as the service takes it: in UTF-8, without NUL, its beginning and its end where it is too long.
func cutText(text string) string {
	runes := []rune(strings.ReplaceAll(strings.ToValidUTF8(text, " "), "\x00", ""))
	if len(runes) <= headCharacters+tailCharacters {
		return string(runes)
	}
	return string(runes[:headCharacters]) + "\n…\n" + string(runes[len(runes)-tailCharacters:])
}

// submitCommand reports.
type submitCommand struct {
	service    `json:"-"`
	File       string   `arg:"" optional:"" json:"-" help:"The whole report as the JSON object that POST /intake/submit takes, - for standard input; instead of flags." placeholder:"FILE"`
	Summary    string   `json:"summary,omitempty" help:"The observation in one line."`
	Category   string   `json:"category,omitempty" help:"failure, insight, discovery, optimization, pattern, security, integration, operational, market or general." default:"failure"`
	Content    string   `json:"content,omitempty" help:"What happened in detail; - for standard input."`
	Resolution string   `json:"resolution,omitempty" help:"What solved it."`
	Ecosystem  string   `json:"ecosystem,omitempty" help:"The chain or network it is about."`
	Tags       []string `json:"tags,omitempty" help:"Tags, comma-separated."`
	Key        string   `json:"-" name:"idempotency-key" help:"A text of your own: sent again with the same one, the report is stored once."`
}

// Run submits the report. It is stored once, however often it has to be sent.
func (c *submitCommand) Run(ctx context.Context, console Console) error {
	report, err := c.report(console.Stdin)
	if err != nil {
		return err
	}
	var stored struct {
		ID        string
		Duplicate bool
		Scrubbing struct{ Changed bool }
		Similar   []struct{ ID, Summary string }
	}
	return c.call(ctx, console, posting("/intake/submit"), report, &stored, func() {
		notes := ""
		if stored.Duplicate {
			notes += ", you had said this before"
		}
		if stored.Scrubbing.Changed {
			notes += ", secrets were removed"
		}
		fmt.Fprintf(console.Stdout, "stored %s%s\n", Plain(stored.ID), notes)
		for _, one := range stored.Similar {
			fmt.Fprintf(console.Stdout, "similar: %s  %s\n", Plain(one.ID), Plain(one.Summary))
		}
	}, "Idempotency-Key", cmp.Or(c.Key, rand.Text()))
}

// report returns what is submitted.
func (c *submitCommand) report(stdin io.Reader) (any, error) {
	if c.File != "" {
		file := stdin
		if c.File != "-" {
			opened, err := os.Open(c.File)
			if err != nil {
				return nil, err
			}
			defer opened.Close()
			file = opened
		}
		text, err := io.ReadAll(file)
		if err == nil && !json.Valid(text) {
			err = errors.New("the report is not JSON")
		}
		return json.RawMessage(text), err
	}
	if c.Content == "-" {
		text, err := io.ReadAll(stdin)
		if err != nil {
			return nil, err
		}
		c.Content = cutText(string(text))
	}
	return c, nil
}

// registerCommand registers.
type registerCommand struct {
	service `json:"-"`
	Name    string `arg:"" json:"name" help:"The agent's name, unique."`
	Type    string `default:"agent" json:"type" help:"What it is."`
	Owner   string `required:"" json:"owner" help:"Whose it is."`
	Invite  string `json:"invite,omitempty" help:"An operator's invite code."`
	Join    string `type:"path" json:"-" help:"File with the token of another agent of yours: both count as one." placeholder:"FILE"`
}

// Run registers and keeps the token. The file is made first, so that no token is lost for want of a place.
func (c *registerCommand) Run(ctx context.Context, console Console) error {
	profile := cmp.Or(c.Profile, c.Name)
	name, err := c.fileOf(profile)
	if err != nil {
		return err
	}
	joined := ""
	if c.Join != "" {
		if joined, err = readToken(c.Join); err != nil {
			return err
		}
		if joined == "" {
			return fmt.Errorf("there is no token in %s", c.Join)
		}
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("there is a token in %s: for one more agent choose another name, or give --profile or --token-file", name)
	}
	if err != nil {
		return err
	}
	defer file.Close()
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	var registered struct {
		ID    string `json:"id"`
		Token string `json:"api_token"`
	}
	answer, err := c.send(ctx, posting("/intake/register"), joined, text, nil) // once: a registration whose answer was lost keeps its name
	if err == nil {
		err = json.Unmarshal(answer, &registered)
	}
	if err == nil && registered.Token == "" {
		err = errors.New("the service gave no token")
	}
	if err != nil {
		return errors.Join(err, os.Remove(name))
	}
	if _, err := io.WriteString(file, registered.Token+"\n"); err != nil {
		return err
	}
	if c.JSON { // without the token: it would stand in logs
		return json.NewEncoder(console.Stdout).Encode(map[string]string{"id": registered.ID, "token_file": name, "profile": profile})
	}
	_, err = fmt.Fprintf(console.Stdout, "registered %s, its token is in %s\n", Plain(registered.ID), name)
	if c.TokenFile == "" {
		fmt.Fprintf(console.Stdout, "where several agents register: AGENTLORE_PROFILE=%q says that it is you\n", Plain(profile))
	}
	return errors.Join(err, file.Close())
}

// outcomeCommand reports an outcome.
type outcomeCommand struct {
	service `json:"-"`
	ID      string `arg:"" json:"id" help:"Id of the item that was used."`
	Result  string `arg:"" enum:"worked,failed,unsafe" json:"outcome" help:"worked, failed or unsafe."`
	// Revision is that of the words that were used.
	Revision string `json:"revision,omitempty" help:"Revision of the words that you used, as the answer gave it."`
	Note     string `json:"note,omitempty" help:"With what, or why not."`
	Question string `json:"question,omitempty" placeholder:"ID" help:"Your open question that it helped with."`
}

// Run reports what came of using an item.
func (c *outcomeCommand) Run(ctx context.Context, console Console) error {
	return c.call(ctx, console, posting("/intake/outcome"), c, nil, func() { fmt.Fprintln(console.Stdout, "kept:", c.Result) })
}

// call sends a body, reads the answer into a value, and prints it: as it is for programs, by show for people.
func (s service) call(ctx context.Context, console Console, what request, body, into any, show func(), headers ...string) error {
	var text []byte
	var err error
	if body != nil {
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	whose := s.token
	if what == posting("/ask") || what.method == http.MethodGet {
		whose = s.anyToken
	}
	token, err := whose()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	answer, err := s.post(ctx, what, token, text, headers...)
	if refused, is := errors.AsType[*Refusal](err); is && refused.Code == "missing_token" {
		refused.Detail += "; agentlore register gets one"
	}
	if err != nil {
		return err
	}
	if into != nil {
		if err := json.Unmarshal(answer, into); err != nil {
			return errNoAnswer
		}
	}
	if s.JSON {
		_, err = fmt.Fprintf(console.Stdout, "%s\n", strings.TrimSpace(string(answer)))
		return err
	}
	show()
	return nil
}
