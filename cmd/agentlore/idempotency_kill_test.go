package main

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
)

// One key sent 20 times at once over two replicas, one of which is killed meanwhile: it is stored once, all who got an
// answer got the same, and the rest heard 409 or lost their connection to the one that is gone.
func TestIdempotencyKeyWhileAReplicaDies(t *testing.T) {
	t.Parallel()
	survivor := sharedService(t)
	victim := serveProcess(t, survivor.prefix)
	me := survivor.register(t, "retries-while-one-dies-"+enginetest.NewPrefix())
	const key, times = "killed-in-between", 20
	body := observation("idempotency: stored once although a replica died, by " + me.id)
	send := func(s *service, body any) (answer, error) {
		return s.try(t.Context(), "POST", "/intake/submit", body, append(me.bearer(), "Idempotency-Key", key)...)
	}
	survivor.get(t, "/health")
	victim.get(t, "/health") // both are warm

	var mu sync.Mutex
	answers, inFlight, lost := map[string]int{}, 0, 0
	var begun, ended sync.WaitGroup
	first := make(chan struct{})
	var once sync.Once
	begun.Add(times)
	for i := range times {
		ended.Go(func() {
			s := []*service{survivor, victim}[i%2]
			begun.Done()
			got, err := send(s, body)
			once.Do(func() { close(first) })
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil && s == victim:
				lost++
			case err != nil:
				t.Error(err)
			case got.status == http.StatusConflict:
				wantProblem(t, got, 409, "idempotency_in_flight")
				inFlight++
			default:
				answers[fmt.Sprint(got.status, got.header.Get("Location"), string(got.body))]++
			}
		})
	}
	begun.Wait()
	if me.id[len(me.id)-1]%2 == 0 { // in half of the runs some have their answer, in the others all are under way
		<-first
	}
	if err := victim.process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	ended.Wait()
	if len(answers) > 1 {
		t.Errorf("%d different answers: %v", len(answers), answers)
	}
	same := 0
	for _, n := range answers {
		same = n
	}
	t.Logf("%d the same answer, %d in flight, %d lost with the replica", same, inFlight, lost)

	// Where the claim was the dead replica's, nobody else does its work before that request is surely over, and then one does.
	var again answer
	enginetest.Within(t, time.Minute, "a later retry gets through", func() bool {
		got, err := send(survivor, body)
		if err != nil {
			t.Fatal(err)
		}
		if again = got; got.status == http.StatusConflict {
			wantProblem(t, got, 409, "idempotency_in_flight")
		}
		return got.status != http.StatusConflict
	})
	if again.status != 201 && again.status != 200 {
		t.Fatalf("a later retry: %d %s", again.status, again.body)
	}
	if same > 0 && answers[fmt.Sprint(again.status, again.header.Get("Location"), string(again.body))] == 0 {
		t.Errorf("a later retry got another answer: %s", again.body)
	}
	inTime(t, "it is stored once", func() bool {
		return decode[page](t, survivor.get(t, "/submissions?source="+me.id).want(t, 200)).Total == 1
	})
	refused, err := send(survivor, observation("another body"))
	if err != nil {
		t.Fatal(err)
	}
	wantProblem(t, refused, 422, "idempotency_mismatch")
}
