package worker_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"agentlore/curator/worker"
	"agentlore/lore"
	"agentlore/scrubber"
)

// Items that were flagged before items had warnings get them by the first pass of a curator that knows of warnings, and by that one
// alone: nothing new was said of them.
func TestItemsFlaggedLongAgoGetTheirWarnings(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ids := b.tell("the wombat bridge stalls", "restart the relayer", "a long-standing owner")
	if _, err := b.curate(older{b.store()}, false); err != nil {
		t.Fatal(err)
	}
	raise := func(at time.Time, reason lore.FlagReason) {
		t.Helper()
		target := submissionTarget(ids[0])
		warning, err := scrubber.Scrub(t.Context(), b.clean, lore.Warning{Item: lore.Item{Target: &target}, Reason: reason, Severity: lore.SeverityHigh})
		if err == nil {
			_, _, err = b.client.Raise(t.Context(), warning, at)
		}
		if err != nil {
			t.Fatal(err)
		}
		b.refresh()
	}
	warnings := func() string {
		text, _ := json.Marshal(b.stored()["submissions "+ids[0]].(map[string]any)["warnings"])
		return string(text)
	}
	raise(b.now.Add(-48*time.Hour), lore.FlagInjection)
	if _, err := b.curate(b.store(), false); err != nil {
		t.Fatal(err)
	}
	if got := warnings(); !strings.Contains(got, `"code":"injection"`) {
		t.Errorf("the warnings are %s", got)
	}
	raise(b.now.Add(-47*time.Hour), lore.FlagMaliciousAddress)
	if _, err := b.curate(b.store(), false); err != nil {
		t.Fatal(err)
	}
	if got := warnings(); strings.Contains(got, "malicious") {
		t.Errorf("every pass looks at all that was ever flagged: %s", got)
	}
}

// older stores progress as a curator did that knew nothing of warnings.
type older struct{ worker.Store }

func (o older) SaveState(ctx context.Context, name string, progress any, data []byte) error {
	text, err := json.Marshal(progress)
	if err != nil {
		return err
	}
	var members map[string]any
	if json.Unmarshal(text, &members) == nil && members != nil {
		delete(members, "warned")
		progress = members
	}
	return o.Store.SaveState(ctx, name, progress, data)
}
