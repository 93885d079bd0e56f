package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
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

// alternate sends questions at a fixed rate, whether or not earlier ones are answered (open loop), to one side after the
// other, slice by slice. All sides get the same questions of a slice; who is first changes with each slice, for the
// second finds warmer caches.
func alternate(ctx context.Context, rate int, duration time.Duration, sides []*side) error {
	length := sliceLength(duration)
	count := perSlice(rate, length)
	order := slices.Clone(sides)
	for slice := range int(duration / length) {
		for _, one := range order {
			if err := ctx.Err(); err != nil {
				return context.Cause(ctx)
			}
			one.took.add(one.attack(rate, length, slice*count, count))
		}
		slices.Reverse(order)
	}
	for _, one := range sides {
		if err := one.took.err(one.name); err != nil {
			return err
		}
	}
	return nil
}

// attack sends count questions from the first on.
func (s *side) attack(rate int, length time.Duration, first, count int) latencies {
	var next atomic.Int64
	targets := func(target *vegeta.Target) error {
		question := first + int(next.Add(1)-1)%count
		*target = vegeta.Target{Method: http.MethodGet, URL: s.url(question), Header: http.Header{questionHeader: {strconv.Itoa(question)}}}
		return nil
	}
	attacker := vegeta.NewAttacker(vegeta.Client(s.client), vegeta.Timeout(requestLimit))
	var took latencies
	for result := range attacker.Attack(targets, vegeta.Rate{Freq: rate, Per: time.Second}, length, "") {
		if result.Error != "" || result.Code != http.StatusOK {
			took.fail(fmt.Sprintf("%d %s: %.200s", result.Code, result.Error, result.Body))
			continue
		}
		took.all = append(took.all, result.Latency)
	}
	return took
}
