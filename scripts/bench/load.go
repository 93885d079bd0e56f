package main

import (
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// side is one of the sides that take turns in a comparison.
type side struct {
	name   string
	client *http.Client
	url    func(question int) string
	took   latencies
}

// requestLimit is the longest that a request of the load may take.
const requestLimit = 30 * time.Second

func newSide(name string, transport http.RoundTripper, url func(question int) string) *side {
	return &side{name: name, client: &http.Client{Transport: transport, Timeout: requestLimit}, url: url}
}

// sliceLength is how long one side has its turn: long enough for dozens of requests, short enough that the machine is
// the same for both.
func sliceLength(duration time.Duration) time.Duration {
	return min(max(duration/8, 500*time.Millisecond), 4*time.Second)
}

// questionsFor returns how many questions a load of this length asks.
func questionsFor(rate int, duration time.Duration) int {
	length := sliceLength(duration)
	return int(duration/length) * perSlice(rate, length)
}

func perSlice(rate int, length time.Duration) int {
	return max(1, int(float64(rate)*length.Seconds()+0.5))
}

// attack sends count questions from the first on.
func (s *side) attack(rate, first, count int) latencies {
	var next atomic.Int64
	targets := func(target *vegeta.Target) error {
		question := first + int(next.Add(1)-1)
		*target = vegeta.Target{Method: http.MethodGet, URL: s.url(question), Header: http.Header{questionHeader: {strconv.Itoa(question)}}}
		return nil
	}
	attacker := vegeta.NewAttacker(vegeta.Client(s.client), vegeta.Timeout(requestLimit))
	var took latencies
	for result := range attacker.Attack(targets, counted{vegeta.ConstantPacer{Freq: rate, Per: time.Second}, uint64(count)}, 0, "") {
		if result.Error != "" || result.Code != http.StatusOK {
			took.fail(fmt.Sprintf("%d %s: %.200s", result.Code, result.Error, result.Body))
			continue
		}
		took.all = append(took.all, result.Latency)
	}
	return took
}

// counted paces so many requests. By its time alone an attack would end without those that a stall made late.
type counted struct {
	vegeta.ConstantPacer
	count uint64
}

// Pace returns how long to wait before the next request, and whether there is none.
func (c counted) Pace(elapsed time.Duration, sent uint64) (wait time.Duration, stop bool) {
	if sent >= c.count {
		return 0, true
	}
	return c.ConstantPacer.Pace(elapsed, sent)
}
