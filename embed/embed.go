// Package embed asks an embeddings server for the vectors of texts. Any server will do that answers POST /v1/embeddings as OpenAI does.
package embed

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/sony/gobreaker/v2"
)

const (
	// questionDeadline is how long a search waits for the vector of its q: a small model on a CPU takes 5 to 10 ms.
	questionDeadline = 50 * time.Millisecond
	// batchDeadline is how long a batch of texts may take, on a busy CPU too.
	batchDeadline = time.Minute
	// questionsKept is of how many questions the vectors are kept: pages of one search, and what several agents ask at a time.
	questionsKept = 1024
	// A server that failed failuresInRow times isn't asked for a question again for the time of rest: searches would wait for it in vain.
	failuresInRow = 3
	rest          = 10 * time.Second
	// maxAnswer bounds an answer, in bytes: a batch of the largest vectors takes a tenth of it.
	maxAnswer = 32 << 20
)

// Config says which server and model to ask.
type Config struct {
	URL        string // of the endpoint, like http://127.0.0.1:8090/v1/embeddings
	Model      string // by the server's name
	Key        string // sent as a bearer token; empty: none is
	Dimensions int    // of the model's vectors
	Prefix     string // put before each question, as many models want it; empty: nothing is
	// Clean removes secrets from a question. Nothing else of it is sent or kept.
	Clean func(text string) string
}

// Client asks one server for vectors of one model. It is safe for concurrent use.
type Client struct {
	Config
	http      *http.Client
	questions *lru.Cache[string, Vector]
	breaker   *gobreaker.CircuitBreaker[[]Vector]
}

// New returns a client. It asks nothing yet.
func New(config Config) (*Client, error) {
	questions, err := lru.New[string, Vector](questionsKept)
	if err != nil {
		return nil, err
	}
	return &Client{
		Config: config, questions: questions,
		http: &http.Client{
			Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the key is for this server alone
		},
		breaker: gobreaker.NewCircuitBreaker[[]Vector](gobreaker.Settings{
			Timeout:      rest,
			ReadyToTrip:  func(counts gobreaker.Counts) bool { return counts.ConsecutiveFailures >= failuresInRow },
			IsSuccessful: func(err error) bool { return err == nil || errors.Is(err, context.Canceled) }, // who asked went away
		}),
	}, nil
}

// Question returns the vector of a question within 50 ms, or an error: that the server is late, failed, or did so a moment ago.
func (c *Client) Question(ctx context.Context, text string) (Vector, error) {
	text = Text(c.Clean(text))
	if known, kept := c.questions.Get(text); kept {
		return known, nil
	}
	vectors, err := c.breaker.Execute(func() ([]Vector, error) {
		inTime, cancel := context.WithTimeout(ctx, questionDeadline)
		defer cancel()
		return c.ask(inTime, []string{c.Prefix + text})
	})
	if err != nil {
		return Vector{}, err
	}
	c.questions.Add(text, vectors[0])
	return vectors[0], nil
}

// ErrRefused is in the error of a server that answered, but gave no vectors that can be used: it may be for one of the texts.
var ErrRefused = errors.New("the embeddings server refuses a text")

// refusals are the statuses by which servers refuse a text: too long, not theirs to read, or one that their model fails on.
var refusals = []int{
	http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusFailedDependency, http.StatusInternalServerError,
}

// Vectors returns the vectors of texts that are scrubbed, in their order. What a server answers is an error unless it is one finite vector
// of the right size for each. Errors: ErrRefused; others where the server can't be reached or takes no texts at all.
func (c *Client) Vectors(ctx context.Context, texts []string) ([]Vector, error) {
	ctx, cancel := context.WithTimeout(ctx, batchDeadline)
	defer cancel()
	return c.ask(ctx, texts)
}

// ask sends one request. Its errors hold nothing of what the server said: that may quote the texts.
func (c *Client) ask(ctx context.Context, texts []string) ([]Vector, error) {
	body, err := json.Marshal(map[string]any{"model": c.Model, "input": texts})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the address of the embeddings server can't be used") // not quoted: it may hold a password
	}
	request.Header.Set("Content-Type", "application/json")
	if c.Key != "" {
		request.Header.Set("Authorization", "Bearer "+c.Key)
	}
	response, err := c.http.Do(request)
	if err != nil {
		if ended := ctx.Err(); ended != nil {
			return nil, ended
		}
		return nil, errors.New("the embeddings server can't be reached")
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10)) // so that the connection can be used again
		err := fmt.Errorf("the embeddings server answered %d", response.StatusCode)
		if slices.Contains(refusals, response.StatusCode) {
			err = fmt.Errorf("%w: %w", ErrRefused, err)
		}
		return nil, err
	}
	var answer struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float64 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(&answer); err != nil {
		if ended := ctx.Err(); ended != nil {
			return nil, ended
		}
		return nil, errors.New("the embeddings server's answer is not that of /v1/embeddings")
	}
	if len(answer.Data) != len(texts) {
		return nil, fmt.Errorf("the embeddings server answered %d vectors for %d texts", len(answer.Data), len(texts))
	}
	vectors := make([]Vector, len(texts))
	for _, one := range answer.Data {
		if one.Index < 0 || one.Index >= len(texts) || vectors[one.Index] != nil {
			return nil, errors.New("the embeddings server's answer doesn't say which vector is of which text")
		}
		if len(one.Embedding) != c.Dimensions {
			return nil, fmt.Errorf("the embeddings server's vectors have %d numbers, and the configured size is %d",
				len(one.Embedding), c.Dimensions)
		}
		if vectors[one.Index] = quantise(one.Embedding); vectors[one.Index] == nil {
			return nil, fmt.Errorf("%w: it answered a vector without direction", ErrRefused)
		}
	}
	return vectors, nil
}

// Vector is the direction of a text's meaning, a byte a dimension. Its length says nothing: it is scaled so that its largest
// number is 127 or -127. Against the vectors as models give them, the ten nearest of a thousand are the same but for one in fifty.
type Vector []int8

// quantise returns a vector as bytes, nil for one that has no direction.
func quantise(numbers []float64) Vector {
	largest := 0.0
	for _, number := range numbers {
		largest = max(largest, math.Abs(number)) // NaN where one is
	}
	if !(largest > 0) || math.IsInf(largest, 0) {
		return nil
	}
	vector := make(Vector, len(numbers))
	for i, number := range numbers {
		vector[i] = int8(math.Round(number / largest * math.MaxInt8))
	}
	return vector
}

// Hex returns the vector as Elasticsearch takes it.
func (v Vector) Hex() string {
	bytes := make([]byte, len(v))
	for i, number := range v {
		bytes[i] = byte(number)
	}
	return hex.EncodeToString(bytes)
}

// ReadHex reads a vector, nil from what isn't one.
func ReadHex(text string) Vector {
	bytes, err := hex.DecodeString(text)
	if err != nil || len(bytes) == 0 {
		return nil
	}
	vector := make(Vector, len(bytes))
	for i, b := range bytes {
		vector[i] = int8(b)
	}
	return vector
}

// Cosine returns how alike the directions of two vectors are, from -1 to 1; 0 where one is missing or of another size.
func Cosine(a, b Vector) float64 {
	if len(a) != len(b) || len(a) == 0 {
		return 0
	}
	var product, lengthA, lengthB int64
	for i := range a {
		x, y := int64(a[i]), int64(b[i])
		product, lengthA, lengthB = product+x*y, lengthA+x*x, lengthB+y*y
	}
	return float64(product) / math.Sqrt(float64(lengthA)*float64(lengthB))
}

// textLength is how much of a text its vector is made of, in characters: what an item is about stands at its beginning, and a model's
// time grows with the length.
const textLength = 512

// Text returns what is sent of an item's texts: their words, one space apart, cut to the length that a vector is made of.
func Text(parts ...string) string {
	text := []rune(strings.Join(strings.Fields(strings.Join(parts, " ")), " "))
	return string(text[:min(len(text), textLength)])
}
