package handlers

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"agentlore/lore"
)

// door refuses what has no chance of its turn before anything else is done for it: its body isn't read, nothing is decoded, and
// the answer was written beforehand. Most of a flood ends here, and what a refusal costs is taken from those who are served.
type door struct {
	routes   map[route]guarded
	recorder Recorder
	refused  refusals
}

// route is an operation as the router names it.
type route struct{ method, path string }

// guarded is an operation with the gates that it goes through, and what its refused callers get.
type guarded struct {
	gates  []*gate
	path   string // as it is documented, for metrics
	answer []byte // without the request's id and the end
}

// closing ends an answer behind the request's id.
const closing = "\"}\n"

// Headers of every refusal. They are shared: nobody changes a header's values in place.
var (
	refusalType  = []string{(*problem)(nil).ContentType("")}
	refusalAfter = []string{strconv.Itoa(int(shedRetryAfter / time.Second))}
	anyOrigin    = []string{"*"}
	exposed      = []string{exposedHeaders}
)

// newDoor returns a door that guards nothing yet.
func newDoor(recorder Recorder, log *slog.Logger) *door {
	return &door{routes: map[route]guarded{}, recorder: recorder, refused: refusals{log: log}}
}

// pathParameters turns a documented path into the router's: {id} is :id there.
var pathParameters = strings.NewReplacer("{", ":", "}", "")

// guard lets the gates of an operation decide whether it may pass: where one of them is full, it may not.
func (d *door) guard(o operation, gates ...*gate) {
	answer, err := json.Marshal(newProblem(&request{route: o.Path}, overloaded()))
	text, cut := strings.CutSuffix(string(answer), strings.TrimSuffix(closing, "\n"))
	if err != nil || !cut || !strings.HasSuffix(text, `"request_id":"`) {
		panic(fmt.Sprintf("a refusal that doesn't end with its request_id: %s, %v", answer, err)) // the type is ours
	}
	d.routes[route{o.Method, pathParameters.Replace(o.Path)}] = guarded{gates: gates, path: o.Path, answer: []byte(text)}
}

// pass lets a request pass or answers it. It stands before everything else. A refused request is counted, and has neither a line
// of its own in the log nor a trace.
func (d *door) pass(s *server) gin.HandlerFunc {
	return func(c *gin.Context) {
		known := d.routes[route{c.Request.Method, c.FullPath()}]
		full := slices.IndexFunc(known.gates, (*gate).full)
		if full < 0 {
			return
		}
		began := time.Now()
		id := s.requestID(c)
		header := c.Writer.Header()
		header["Content-Type"], header["Retry-After"] = refusalType, refusalAfter
		header["Access-Control-Allow-Origin"], header["Access-Control-Expose-Headers"] = anyOrigin, exposed
		c.Header("X-Request-ID", id)
		c.Status(http.StatusServiceUnavailable)
		answer := make([]byte, 0, len(known.answer)+len(id)+len(closing))
		answer = append(append(append(answer, known.answer...), id...), closing...)
		_, _ = c.Writer.Write(answer) // a caller that went away needs no answer
		c.Abort()
		d.recorder.Shed(known.gates[full].name)
		d.recorder.Request(c.Request.Method, known.path, http.StatusServiceUnavailable, string(lore.CodeStoreUnavailable), time.Since(began))
		d.refused.note()
	}
}

// refusals tells the log of refused requests, all of a second in one line: a line for each would cost more than to refuse them.
type refusals struct {
	log   *slog.Logger
	count atomic.Int64
}

// note counts a refused request.
func (r *refusals) note() {
	if r.count.Add(1) == 1 {
		time.AfterFunc(time.Second, func() {
			r.log.Warn("requests were refused: more come than can have their turn", "count", r.count.Swap(0), "in", "1s")
		})
	}
}
