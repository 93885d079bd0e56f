package index

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
	"agentlore/scrubber"
)

func TestCreateSubmission(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	store := OpenSubmissions(client, newWriter(t, client))
	usefulness := lore.Rating(7)
	key := "0x" + strings.Repeat("5f", 32)
	text := clean(t, lore.Observation{
		Summary: " Key " + key + " leaked ", Category: lore.CategorySecurity, Content: "see EIP-1559", Resolution: "rotate",
		Tags: []string{"Leak", "leak"}, Ecosystem: "Ethereum", Usefulness: &usefulness, Ref: "r-1",
	})
	draft := lore.Draft{
		ID: lore.NewID(), Identity: lore.Identity{SourceID: lore.NewID()}, ClassifiedBy: lore.BySubmitter,
		CreatedAt: time.Date(2026, 3, 1, 2, 3, 4, 567_891_234, time.FixedZone("", 3600)),
	}
	stored, created, err := store.Create(t.Context(), draft, text)
	if err != nil || !created {
		t.Fatalf("created %v, %v", created, err)
	}
	read, err := store.Get(t.Context(), draft.ID)
	if err != nil || !reflect.DeepEqual(read, stored) {
		t.Errorf("read\n%+v\nwant what Create returned\n%+v (%v)", read, stored, err)
	}
	if want := time.Date(2026, 3, 1, 1, 3, 4, 567_000_000, time.UTC); !read.CreatedAt.Equal(want) || read.CreatedAt.Location() != time.UTC {
		t.Errorf("created at %v, want %v: what Elasticsearch keeps", read.CreatedAt, want)
	}
	if read.Summary != "Key [SCRUBBED] leaked" || !slices.Equal(read.Tags, []string{"leak"}) || read.Ecosystem != "ethereum" || read.Tier != 1 ||
		!slices.Equal(read.Entities, []string{"EIP-1559"}) || read.Scrubbed["eth_key"] != 1 || *read.Usefulness != 7 {
		t.Errorf("stored as %+v", read)
	}
	var raw map[string]any
	if err := json.Unmarshal([]byte(enginetest.Source(t, client.AliasOf(lore.Submissions), draft.ID)), &raw); err != nil {
		t.Fatal(err)
	}
	if raw["scrubbed_total"] != 1.0 {
		t.Errorf("beside it is stored %v", raw)
	}

	// An id that exists: nothing is stored, and nothing is changed.
	if _, created, err := store.Create(t.Context(), draft, clean(t, lore.Observation{Summary: "other", Category: lore.CategoryGeneral})); err != nil || created {
		t.Errorf("an id that exists: created %v, %v", created, err)
	}
	if again, err := store.Get(t.Context(), draft.ID); err != nil || again.Summary != read.Summary {
		t.Errorf("it was overwritten: %+v, %v", again, err)
	}
}

// Group commit loses nobody: every caller's document is there when its call returns.
func TestConcurrentCreates(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	store := OpenSubmissions(client, newWriter(t, client))
	text := clean(t, lore.Observation{Summary: "crowd", Category: lore.CategoryGeneral, Content: strings.Repeat("long text ", 1_500)})
	var group sync.WaitGroup
	for range 200 {
		group.Go(func() {
			draft := lore.Draft{ID: lore.NewID(), CreatedAt: time.Now()}
			if _, created, err := store.Create(context.Background(), draft, text); err != nil || !created {
				t.Errorf("created %v, %v", created, err)
			}
			if _, err := store.Get(context.Background(), draft.ID); err != nil {
				t.Errorf("acknowledged and not there: %v", err)
			}
		})
	}
	group.Wait()
}

// What agents wrote can only be stored in the form that the scrubber makes: code that forgets to scrub doesn't compile.
func TestStoresTakeOnlyScrubbedText(t *testing.T) {
	raw := []reflect.Type{
		reflect.TypeFor[lore.Observation](), reflect.TypeFor[lore.Registration](), reflect.TypeFor[lore.CatalogEntry](),
		reflect.TypeFor[lore.SubmissionLine](), reflect.TypeFor[lore.Submission](), reflect.TypeFor[lore.Asset](), reflect.TypeFor[lore.Source](),
		reflect.TypeFor[lore.Suggestion](), reflect.TypeFor[lore.SafetyFlag](), reflect.TypeFor[string](),
	}
	takesScrubbed := 0
	for _, store := range []any{&SubmissionStore{}, &Writer{}, &Client{}} {
		methods := reflect.TypeOf(store)
		for i := range methods.NumMethod() {
			method := methods.Method(i)
			for in := 1; in < method.Type.NumIn(); in++ {
				parameter := method.Type.In(in)
				if strings.HasPrefix(parameter.Name(), "Scrubbed[") {
					takesScrubbed++
				}
				if slices.Contains(raw[:len(raw)-1], parameter) {
					t.Errorf("%v.%s takes a raw %v", methods, method.Name, parameter)
				}
			}
		}
	}
	if takesScrubbed < 3 {
		t.Errorf("only %d methods take scrubbed text: does the test still look at the stores?", takesScrubbed)
	}
	for i := range reflect.TypeFor[scrubber.Scrubbed[lore.Observation]]().NumField() {
		if field := reflect.TypeFor[scrubber.Scrubbed[lore.Observation]]().Field(i); field.IsExported() {
			t.Errorf("scrubbed text can be made by anybody: the field %s is exported", field.Name)
		}
	}
}
