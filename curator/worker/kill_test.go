package worker_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentlore/curator/worker"
	"agentlore/lore"
)

// errKilled ends a worker in the middle of a write.
var errKilled = errors.New("killed")

// mortal is a store whose worker dies after some writes: of the last one, half gets through.
type mortal struct {
	worker.Store
	left atomic.Int64
}

// dyingAfter returns a store whose worker dies after so many writes.
func dyingAfter(writes int, store worker.Store) *mortal {
	m := &mortal{Store: store}
	m.left.Store(int64(writes))
	return m
}

func (m *mortal) dies() bool { return m.left.Add(-1) < 0 }

func (m *mortal) Write(ctx context.Context, changes []lore.Change) (int, []lore.Refusal, error) {
	if len(changes) > 0 && m.dies() {
		_, _, err := m.Store.Write(ctx, changes[:len(changes)/2])
		return 0, nil, errors.Join(errKilled, err)
	}
	return m.Store.Write(ctx, changes)
}

func (m *mortal) WriteLinks(ctx context.Context, links []lore.Links) ([]lore.Refusal, error) {
	if len(links) > 0 && m.dies() {
		refused, err := m.Store.WriteLinks(ctx, links[:len(links)/2])
		return refused, errors.Join(errKilled, err)
	}
	return m.Store.WriteLinks(ctx, links)
}

func (m *mortal) SaveState(ctx context.Context, name string, progress any, data []byte) error {
	if m.dies() {
		return errKilled
	}
	return m.Store.SaveState(ctx, name, progress, data)
}

// A pass that is killed again and again, in the middle of writes, makes what an undisturbed one makes; a second pass, and
// a rebuild from scratch, change nothing.
func TestKilledAtAnyPoint(t *testing.T) {
	t.Parallel()
	reports := corpus()
	calm, killed := newBench(t), newBench(t)
	for _, b := range []*bench{calm, killed} {
		for i := range 4 {
			b.vouch(fmt.Sprintf("owner %d", i))
		}
		b.submit(reports...)
	}
	if _, err := calm.curate(calm.store(), false); err != nil {
		t.Fatal(err)
	}
	want := calm.stored()
	kinds := map[string]int{}
	for id := range want {
		kind, _, _ := strings.Cut(id, " ")
		kinds[kind]++
	}
	if kinds["patterns"] < 5 || kinds["knowledge-units"] < 2 || kinds["families"] < 2 {
		t.Fatalf("the corpus makes %v: too little to tell anything", kinds)
	}

	random := rand.New(rand.NewPCG(7, 8))
	deaths := 0
	for {
		_, err := killed.curate(dyingAfter(random.IntN(7), killed.store()), false)
		if err == nil {
			break
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		if deaths++; deaths > 100 {
			t.Fatal("the pass doesn't come to an end")
		}
	}
	if deaths < 3 {
		t.Errorf("killed %d times only", deaths)
	}
	if diff := cmp.Diff(want, killed.stored()); diff != "" {
		t.Errorf("killed %d times (-undisturbed +killed):\n%s", deaths, diff)
	}

	if written, err := calm.curate(calm.store(), false); err != nil || written != 0 {
		t.Errorf("a second pass changes %d items, %v", written, err)
	}
	if written, err := calm.curate(calm.store(), true); err != nil || written != 0 {
		t.Errorf("a rebuild changes %d items, %v", written, err)
	}
	if diff := cmp.Diff(withoutLinks(want), withoutLinks(calm.stored())); diff != "" {
		t.Errorf("after a second pass and a rebuild (-before +after):\n%s", diff)
	}
}
