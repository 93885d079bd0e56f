package worker_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentlore/lore"
)

// One outcome changes the reputation of a source with many reports: a pass scores some of them anew and leaves the rest to later ones. In
// the end they stand as if all had been scored at once, also where workers are killed in between.
func TestManyReportsAreScoredOverSeveralPasses(t *testing.T) {
	t.Parallel()
	var reports []lore.Report
	for i := range 23 {
		reports = append(reports, told("importer", fmt.Sprintf("matter%cx%c", 'a'+i, 'z'-i), noon.Add(-time.Hour)))
	}
	atOnce, bounded, killed := newBench(t), newBench(t), newBench(t)
	bounded.rescored, killed.rescored = 5, 5
	for _, b := range []*bench{atOnce, bounded, killed} {
		b.vouch("tester 0", "tester 1", "tester 2")
		b.submit(reports...)
		if _, err := b.curate(b.store(), false); err != nil {
			t.Fatal(err)
		}
	}
	random := rand.New(rand.NewPCG(5, 6))
	now := noon
	for _, tester := range []string{"tester 0", "tester 1"} { // the second while the first is still being scored
		now = now.Add(time.Minute)
		for _, b := range []*bench{atOnce, bounded, killed} {
			b.praise(now, reports[:1], tester)
		}
		if _, err := atOnce.curateAt(atOnce.store(), now, false); err != nil {
			t.Fatal(err)
		}
		written, err := bounded.curateAt(bounded.store(), now, false)
		if err != nil {
			t.Fatal(err)
		}
		if written > 5+5 { // the reports of one piece; the report that was spoken of, its unit, the source, events
			t.Errorf("after one outcome a pass changed %d items", written)
		}
		if idle, err := bounded.living.Idle(t.Context()); err != nil || idle {
			t.Errorf("idle %t, %v: most reports are still to be scored", idle, err)
		}
		if _, err := killed.curateAt(dyingAfter(random.IntN(4), killed.store()), now, false); err != nil && !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
	}
	want := withoutLinks(atOnce.stored())
	for name, b := range map[string]*bench{"bounded": bounded, "killed": killed} {
		passes := 0
		for idle := false; !idle; passes++ {
			store := dyingAfter(1000, b.store())
			if name == "killed" {
				store = dyingAfter(random.IntN(25), b.store())
			}
			// What was said a moment ago is looked at once more, so that only later a worker has nothing to do.
			_, err := b.curateAt(store, now.Add(time.Duration(passes+2)*time.Minute), false)
			if err != nil && !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			if idle, err = b.living.Idle(t.Context()); err != nil {
				t.Fatal(err)
			}
			if passes > 100 {
				t.Fatal("the reports are never all scored")
			}
		}
		if name == "bounded" && passes < 4 {
			t.Errorf("all were scored in %d passes", passes)
		}
		if diff := cmp.Diff(want, withoutLinks(b.stored())); diff != "" {
			t.Errorf("%s (-at once +over passes):\n%s", name, diff)
		}
	}
}
