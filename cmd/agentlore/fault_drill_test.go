package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
)

// A drill on three nodes: real observations are imported and curated, backed up, all deleted and restored. Counts and checksums of every
// collection are then those of before. AGENTLORE_DRILL=all takes all observations instead of a tenth; -v prints how long each step took.
func TestBackupDrill(t *testing.T) {
	e := nodesEngine(t)
	lines := enginetest.Lines(t, enginetest.Data(t, "observations.jsonl.gz"))
	prefix := enginetest.NewPrefix()
	t.Cleanup(func() { e.drop(prefix) })
	file, err := os.Create(filepath.Join(t.TempDir(), "observations.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	number := 0
	for line := range lines {
		if number++; os.Getenv("AGENTLORE_DRILL") == "all" || number%10 == 0 {
			fmt.Fprintln(file, line)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	place := "file://" + snapshotFolder(t, e.url, prefix)
	step := func(args ...string) string {
		t.Helper()
		began := time.Now()
		status, stdout, stderr := run(t, append(args, "--elasticsearch-url="+e.url, "--index-prefix="+prefix, patientTimeout)...)
		if status != 0 {
			t.Fatalf("%v: status %d\n%s%s", args, status, stdout, stderr)
		}
		t.Logf("%-8s %6.2f minutes", args[0], time.Since(began).Minutes())
		_, sums, _ := strings.Cut(stdout, "\n") // the first line has the time of day
		return sums
	}
	step("import", "--collection=submissions", file.Name())
	step("curate", "--once")
	step("backup", "--to="+place)
	before := step("verify", "--against="+place)
	e.drop(prefix)
	if _, left := e.ask(1, "GET", "/_cat/indices/"+prefix+"-*", ""); strings.TrimSpace(left) != "" {
		t.Fatalf("not all is deleted: %s", left)
	}
	step("restore", "--from="+place)
	if _, shards := e.ask(1, "GET", "/_cat/shards/"+prefix+"-*?h=prirep,state,index", ""); strings.Count(shards, "p STARTED ") != strings.Count(before, "\n") {
		t.Errorf("restore ended before all can be read:\n%s", shards)
	}
	if _, places := e.ask(1, "GET", "/_snapshot", ""); strings.Contains(places, prefix) {
		t.Errorf("a place stays registered: %s", places)
	}
	after := step("verify", "--against="+place)
	if before != after || !regexp.MustCompile(`(?m)^equal +`+prefix+`-submissions +backup +[1-9]\d{3}`).MatchString(after) {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	_, sizes := e.ask(1, "GET", "/_cat/indices/"+prefix+"-*?h=index,pri,rep,docs.count,pri.store.size&s=index", "")
	t.Logf("\n%s\n%s", after, sizes)
}
