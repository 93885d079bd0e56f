package main

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentlore/lore"
)

// data returns the labelled reports, or skips.
func data(t *testing.T) []row {
	t.Helper()
	folder := cmp.Or(os.Getenv("AGENTLORE_DATA"), filepath.Join("..", "..", "..", "shared", "data"))
	rows, err := readRows(folder)
	if os.IsNotExist(err) {
		t.Skip("no data: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestHeldOutFigureIsReached(t *testing.T) {
	if got := evaluate(data(t)).macroF1(); got < 0.66 {
		t.Errorf("macro-F1 %.3f on origins held out, docs/figures.md promises 0.66", got)
	}
}

// The figure means nothing if a model has seen an origin that it is judged on.
func TestFoldsHoldWholeOrigins(t *testing.T) {
	rows := []row{{Origin: "a", Category: "security"}, {Origin: "a", Category: "failure"}, {Origin: "b", Category: "security"}, {Origin: "b", Category: "security"}}
	fold := foldOf(rows)
	if fold("a") != "a" {
		t.Errorf("a mixed origin is in fold %q", fold("a"))
	}
	if once, again := fold("b"), fold("b"); once != again || !strings.HasPrefix(once, "audits ") {
		t.Errorf("an audit is in fold %q", fold("b"))
	}
}

func TestF1(t *testing.T) {
	e := evaluation{"failure": {"failure": 3, "market": 1}, "market": {"market": 2, "failure": 2}}
	precision, recall, f1 := e.f1(lore.CategoryFailure)
	if precision != 0.6 || recall != 0.75 || f1 < 0.666 || f1 > 0.667 {
		t.Errorf("precision %v, recall %v, F1 %v", precision, recall, f1)
	}
}
