package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
)

// `agentlore scale --shards 3` while a service submits and searches at a steady rate: what was there and what came meanwhile
// is there once, word for word, and no search fails. AGENTLORE_MOVE is how many submissions there are before (the design's size
// is 100000), AGENTLORE_FAULTS_RATE how many submits and how many searches come in a second (the design's 50).
func TestMigrateUnderTraffic(t *testing.T) {
	enginetest.Long(t)
	size := 2000
	if given, err := strconv.Atoi(os.Getenv("AGENTLORE_MOVE")); err == nil {
		size = given
	}
	rate := rateOr(20)
	s := serve(t, enginetest.Prefix(t), "--queue-wait=600ms", "--elasticsearch-timeout=10s")
	o := newOpen(t, s)
	before := importReports(t, o, size)
	o.warmUp(t, rate)
	var status int
	var said, complaint string
	migrated := make(chan struct{})
	o.run(rate, migrated, map[time.Duration]func(){
		0: func() {
			defer close(migrated)
			status, said, complaint = run(t, append([]string{"scale", "--shards=3"}, storeFlags(t, s.prefix)...)...)
		},
	})
	t.Logf("%d submits and %d searches a second meanwhile: %s; it said:\n%s", rate, rate, o, said)
	if status != 0 || !strings.Contains(said, "6 collections moved to") {
		t.Errorf("scale: status %d, %s", status, complaint)
	}
	for kind, n := range o.counts {
		if strings.HasPrefix(kind, "search") && kind != "search 200" {
			t.Errorf("%d searches failed: %s", n, kind)
		}
	}
	if len(o.faults) > 0 {
		t.Errorf("%d faults that are no 503 with Retry-After, the first: %s", len(o.faults), o.faults[0])
	}
	o.wantAll(t, enginetest.ElasticsearchURL(t), before)
}

// importReports stores so many reports by `agentlore import` and returns the ref of each by the checksum of its text.
func importReports(t *testing.T, o *open, size int) map[string]string {
	t.Helper()
	texts := map[string]string{}
	path := filepath.Join(t.TempDir(), "reports.jsonl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	encoder := json.NewEncoder(file)
	for n := range size {
		summary, content := o.texts.report("before", n)
		ref := fmt.Sprint("before-", n)
		texts[textSum(summary, content)] = ref
		if err := encoder.Encode(map[string]any{"source": "moves", "summary": summary, "content": content, "category": "operational", "ref": ref}); err != nil {
			t.Fatal(err)
		}
	}
	status, said, complaint := run(t, append([]string{"import", "--collection=submissions", path}, storeFlags(t, o.s.prefix)...)...)
	if status != 0 {
		t.Fatalf("import: status %d, %s %s", status, said, complaint)
	}
	t.Logf("import: %s", said)
	return texts
}
