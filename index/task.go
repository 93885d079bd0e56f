package index

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// taskPoll is how soon a task is asked whether it has ended, at first; later every second.
const taskPoll = 20 * time.Millisecond

// AwaitTask waits for a task that Elasticsearch carries out by itself, as a copy that takes longer than a request may, and returns its
// response. One that isn't awaited any longer goes on. Errors: store_unavailable; that the task failed.
func AwaitTask[T any](ctx context.Context, c *Client, task string) (response T, err error) {
	for wait := taskPoll; ; wait = min(2*wait, time.Second) {
		var answer struct {
			Completed bool            `json:"completed"`
			Error     json.RawMessage `json:"error"`
			Response  T               `json:"response"`
		}
		if err := c.Do(ctx, esapi.TasksGetRequest{TaskID: task}, &answer); err != nil {
			return response, fmt.Errorf("ask how far a task is: %w", err)
		}
		switch {
		case len(answer.Error) > 0:
			return response, fmt.Errorf("the task %s of Elasticsearch failed, and has the details", task)
		case answer.Completed:
			return answer.Response, nil
		}
		select {
		case <-ctx.Done():
			return response, ctx.Err()
		case <-time.After(wait):
		}
	}
}
