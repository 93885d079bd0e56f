package handlers

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"agentlore/lore"
)

// Refusal returns a whole HTTP/1.1 answer of 503 with Retry-After for a client that can't even be let in. It ends its connection.
func Refusal() []byte { return rawAnswer(overloaded()) }

// Expiry returns a whole HTTP/1.1 answer of 408 for a client that loses its place for silence (RFC 9110, 15.5.9). A request of
// its that crosses this answer on the way is answered by it, and one that sends no more knows an answer to nothing as an end.
func Expiry() []byte {
	return rawAnswer(&lore.Problem{
		Code: lore.CodeRequestTimeout, RetryAfter: shedRetryAfter,
		Detail: "the connection was silent for too long and ended to make room; what you sent since was not read: send it again on a new connection after the time in Retry-After",
	})
}

// rawAnswer writes an answer for who is no client of the server's.
func rawAnswer(why *lore.Problem) []byte {
	id := uuid.NewString()
	known := newProblem(&request{id: id}, why)
	body, err := json.Marshal(known)
	if err != nil {
		panic(fmt.Sprintf("a problem that can't be encoded: %v", err)) // the type is ours
	}
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nRetry-After: %s\r\nAccess-Control-Allow-Origin: *\r\nX-Request-ID: %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s",
		known.Status, known.Title, refusalType[0], refusalAfter[0], id, len(body), body)
}
