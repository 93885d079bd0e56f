package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
)

// What happened to items can be taken along, all of it or one kind, as lines or as a table, and goes on where it broke off.
func TestExportOfEvents(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t), "--no-curate")
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	unit := lore.Target{Collection: lore.KnowledgeUnits, ID: lore.NewID()}
	var ids []string
	for i, event := range []lore.Event{
		{Kind: lore.EventStatus, To: "active", Target: unit},
		{Kind: lore.EventOutcome, To: "worked", Target: unit, SourceID: lore.NewID(), SourceName: "=prober", Ecosystem: []string{"base", "evm"}, Days: 2.5},
		{Kind: lore.EventTier, From: "2", To: "3", Target: unit},
	} {
		event.ID, event.CreatedAt = lore.NewID(), at.AddDate(0, 0, i)
		s.put(t, lore.Events, event)
		ids = append(ids, event.ID)
	}
	whole := s.exported(t, lore.Events, "")
	if lines := strings.Split(strings.TrimSpace(whole), "\n"); len(lines) != 3 || !strings.Contains(lines[0], ids[0]) || strings.Contains(whole, "owner") {
		t.Fatalf("the events are %s", whole)
	}
	outcomes := s.exported(t, lore.Events, "&kind=outcome")
	if strings.Count(outcomes, "\n") != 1 || !strings.Contains(outcomes, ids[1]) {
		t.Errorf("the outcomes are %s", outcomes)
	}
	if rest := s.exported(t, lore.Events, "&cursor="+ids[1]); !strings.HasPrefix(rest, `{"id":"`+ids[2]) || strings.Count(rest, "\n") != 1 {
		t.Errorf("after the outcome comes %s", rest)
	}
	table := string(s.get(t, "/export?collection=events&kind=outcome&format=csv").want(t, 200).body)
	want := "id,kind,from,to,target.collection,target.id,pattern_id,category,ecosystem,source_id,source_name,author_id,author_name,days,created_at,erased_at\n" +
		ids[1] + ",outcome,,worked,knowledge-units," + unit.ID + ",,,base|evm,"
	if !strings.HasPrefix(table, want) || !strings.HasSuffix(table, ",'=prober,,,2.5,2026-11-02T00:00:00Z,\n") {
		t.Errorf("the table is %s", table)
	}
	wantProblem(t, s.get(t, "/export?collection=patterns&kind=outcome"), 422, "invalid_field", "kind")

	folder := t.TempDir()
	if got := exportTo(t, s.prefix, lore.Events, filepath.Join(folder, "events.jsonl")); got != whole {
		t.Errorf("the command writes %s", got)
	}
	command := append([]string{"export", "--collection=events", "--kind=outcome", "--format=csv"}, storeFlags(t, s.prefix)...)
	if status, stdout, stderr := run(t, append(command, "-")...); status != 0 || stdout != table {
		t.Errorf("the command's table is %s %s", stdout, stderr)
	}
	if status, _, stderr := run(t, append(command, "--collection=assets", "-")...); status == 0 || !strings.Contains(stderr, "--kind") {
		t.Errorf("a kind of assets: %d %s", status, stderr)
	}
}

// An export ends with the erased items, and can go on from any of them. It says neither who erased an item nor why.
func TestExportTellsOfErasures(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	me := s.register(t, "author")
	var ids []string
	for i := range 5 {
		ids = append(ids, s.submit(t, me, observation(fmt.Sprintf("Report number %d", i))).ID)
	}
	for _, id := range ids[:3] {
		lever(t, s.prefix, "erase", id, "--who=dana", "--why=canary-why")
	}
	whole := s.exported(t, lore.Submissions, "")
	lines := strings.Split(strings.TrimSuffix(whole, "\n"), "\n")
	if len(lines) != 5 || strings.Contains(whole, "dana") || strings.Contains(whole, "canary-why") {
		t.Fatalf("the export is\n%s", whole)
	}
	for i, id := range ids[:3] {
		if !strings.HasPrefix(lines[2+i], `{"id":"`+id+`","erased_at":"20`) || strings.Count(lines[2+i], ":") != 4 {
			t.Errorf("line %d is %s, want the erasure of %s and no more", 2+i, lines[2+i], id)
		}
	}
	for i := range lines[:4] {
		var cursor string
		switch i {
		case 0, 1:
			cursor = lines[i][len(`{"id":"`) : len(`{"id":"`)+36]
		default:
			cursor = "erased:" + ids[i-2]
		}
		if got, want := s.exported(t, lore.Submissions, "&cursor="+cursor), strings.Join(lines[i+1:], "\n")+"\n"; got != want {
			t.Errorf("behind line %d:\n%s\nwant\n%s", i, got, want)
		}
	}
	if got := s.exported(t, lore.Submissions, "&cursor=erased:"+ids[2]); got != "" {
		t.Errorf("behind the last line: %s", got)
	}
	wantProblem(t, s.get(t, "/export?collection=submissions&cursor="+ids[0]), 400, "invalid_cursor")
	wantProblem(t, s.get(t, "/export?collection=submissions&cursor=erased:"+ids[4]), 400, "invalid_cursor")
	if got := s.exported(t, lore.Assets, ""); got != "" {
		t.Errorf("the export of another collection: %s", got)
	}
	since := strings.TrimSuffix(lines[4][strings.Index(lines[4], `erased_at":"`)+len(`erased_at":"`):], `"}`)
	if got := s.exported(t, lore.Submissions, "&since="+since); got != lines[4]+"\n" {
		t.Errorf("since the last erasure: %s", got)
	}
	folder := t.TempDir()
	for _, name := range []string{"whole.jsonl", "whole.jsonl.gz"} {
		if got := exportTo(t, s.prefix, lore.Submissions, filepath.Join(folder, name)); got != whole {
			t.Errorf("the command writes\n%s", got)
		}
	}
	empty := enginetest.Prefix(t)
	sources := filepath.Join(folder, "sources.jsonl")
	exportTo(t, s.prefix, lore.Sources, sources)
	restore(t, empty, lore.Sources, sources)
	if said := restore(t, empty, lore.Submissions, filepath.Join(folder, "whole.jsonl")); !strings.Contains(said, ": 2 stored, 3 known already") {
		t.Errorf("an import of it says %s", said)
	}
}
