package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agentlore/enginetest"
)

// The notebook's questions are answered from an export of the demo, and every panel in Kibana shows something of it.
func TestDemoForAnalysts(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("needs python3")
	}
	s := serve(t, enginetest.Prefix(t), "--demo", "--no-curate")
	folder := t.TempDir()
	for _, name := range []string{"submissions", "patterns", "knowledge", "sources", "safety-flags"} {
		got := s.get(t, "/export?format=csv&collection="+name).want(t, 200)
		if kind := got.header.Get("Content-Type"); !strings.HasPrefix(kind, "text/csv") {
			t.Errorf("%s is a %s", name, kind)
		}
		if err := os.WriteFile(filepath.Join(folder, name+".csv"), got.body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(enginetest.Root(), "docs", "export.ipynb"))
	var notebook struct {
		Cells []struct {
			Kind   string   `json:"cell_type"`
			Source []string `json:"source"`
		} `json:"cells"`
	}
	if err == nil {
		err = json.Unmarshal(text, &notebook)
	}
	if err != nil {
		t.Fatal(err)
	}
	var program strings.Builder
	for _, cell := range notebook.Cells {
		if cell.Kind == "code" {
			program.WriteString(strings.Join(cell.Source, "") + "\n")
		}
	}
	command := exec.CommandContext(t.Context(), "python3", "-c", program.String())
	command.Dir = folder
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"103 reports, 3 patterns", "\n1 ['Two Sui transactions", "2 established, median", "'worked': 6", "demo-contract-auditor"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the notebook doesn't say %q:\n%s", want, out)
		}
	}

	for _, q := range []string{"usdt", "qqqwert"} { // what is searched for is all that the demo does not bring
		s.get(t, "/search/all?q="+q).want(t, 200)
	}
	enginetest.Eventually(t, "both searches are in the log", func() bool {
		_, answer := enginetest.Elasticsearch(t, "GET", "/"+s.prefix+"-searchlog/_count", "")
		return strings.Contains(string(answer), `"count":2`)
	})
	panels := exec.CommandContext(t.Context(), "go", "test", "./kibana", "-run", "TestQueries", "-existing", s.prefix, "-filled")
	panels.Dir = enginetest.Root()
	if out, err := panels.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
