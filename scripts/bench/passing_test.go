package main

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Who only counts and passes on sends what was recorded and answers no more than a page of results has.
func TestPasserSendsWhatWasRecorded(t *testing.T) {
	address, seen := fakeStore(t)
	b := &bench{options: options{Prefix: "bench_test"}}
	passing, err := b.pass(newReplay(address, [][]recorded{{
		{http.MethodPost, "/first", http.Header{}, []byte("{}")}, {http.MethodPost, "/second", http.Header{}, []byte("[]")},
	}}))
	if err != nil {
		t.Fatal(err)
	}
	defer passing.close()
	one := newSide("passed", newTransport(), func(int) string { return passing.url })
	took := one.attack(10, 0, 1)
	if err := took.err(one.name); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"POST /first {}", "POST /second []"}, seen()); diff != "" {
		t.Errorf("passed on (-want +got):\n%s", diff)
	}
}
