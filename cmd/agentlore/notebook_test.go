package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agentlore/enginetest"
	"agentlore/lore"
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
	clientExport(t, s.base, "--collection=submissions", "--format=parquet", filepath.Join(folder, "submissions.parquet"))
	python, wanted := withDuckDB(t), []string{"103 reports, 3 patterns", "\n1 ['Two Sui transactions", "2 established, median", "'worked': 6", "demo-contract-auditor"}
	if python == "" {
		python = "python3"
	} else {
		wanted = append(wanted, "\n[('ERC-4337', 3), ('EIP-1559', 2), ('ERC-20', 2), ")
	}
	command := exec.CommandContext(t.Context(), python, "-c", program.String())
	command.Dir = folder
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range wanted {
		if !strings.Contains(string(out), want) {
			t.Errorf("the notebook doesn't say %q:\n%s", want, out)
		}
	}

	t.Run("Parquet", func(t *testing.T) { parquetIsTheExport(t, s.base) })

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

// compareFiles compares the Parquet files of a folder, as DuckDB reads them, with the lines of the same exports.
const compareFiles = `
import datetime, glob, json, duckdb
duckdb.sql("SET TimeZone = 'UTC'")
for name in sorted(glob.glob("*.parquet")):
    table = duckdb.sql(f"FROM '{name}'")
    types = dict(zip(table.columns, map(str, table.types)))
    with open(name.replace(".parquet", ".jsonl")) as file:
        lines = [json.loads(line) for line in file]
    rows = table.fetchall()
    assert len(rows) == len(lines) > 0, (name, len(rows), len(lines))
    for row, item in zip(rows, lines):
        for column, value in zip(table.columns, row):
            want = item
            for part in column.split("."):
                want = want.get(part) if want else None
            if types[column] == "JSON" and value is not None:
                value = json.loads(value)
            if isinstance(value, datetime.datetime):
                instant = datetime.datetime.fromisoformat(want.replace("Z", "+00:00"))
                assert abs(value - instant) < datetime.timedelta(milliseconds=1), (name, column, value, want)
            else:
                assert value == want, (name, column, value, want)
    print(name, len(rows), types.get("created_at"), types.get("ecosystem"), types.get("tier"), types.get("score"))
`

// parquetIsTheExport exports each collection of the demo as Parquet and as lines, and another reader finds the same in both.
func parquetIsTheExport(t *testing.T, base string) {
	python := withDuckDB(t)
	if python == "" {
		t.Skip("needs DuckDB: scripts/python -c 'import duckdb' installs it")
	}
	folder := t.TempDir()
	for _, collection := range lore.Collections() {
		if collection == lore.Questions { // the demo has none
			continue
		}
		file := filepath.Join(folder, string(collection))
		clientExport(t, base, "--collection="+string(collection), file+".jsonl")
		clientExport(t, base, "--collection="+string(collection), "--format=parquet", file+".parquet")
	}
	command := exec.CommandContext(t.Context(), python, "-c", compareFiles)
	command.Dir = folder
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := "submissions.parquet 103 TIMESTAMP WITH TIME ZONE VARCHAR BIGINT DOUBLE"; !strings.Contains(string(out), want) {
		t.Errorf("DuckDB reads\n%s", out)
	}
}

// withDuckDB returns a Python that has DuckDB: the machine's, or what scripts/python keeps; "" where there is none.
func withDuckDB(t *testing.T) string {
	t.Helper()
	for _, python := range []string{"python3", filepath.Join(enginetest.Root(), ".agentlore", "python", "bin", "python")} {
		if exec.CommandContext(t.Context(), python, "-c", "import duckdb").Run() == nil {
			return python
		}
	}
	return ""
}
