package worker

import (
	"bytes"
	"strconv"
	"testing"

	"agentlore/lore"
)

// A group is known as long as each of its reports was judged last in just this group.
func TestGroupMemory(t *testing.T) {
	t.Parallel()
	a, b, c := lore.DerivedID("a"), lore.DerivedID("b"), lore.DerivedID("c")
	var memory groupMemory
	has := func(want bool, group ...string) {
		t.Helper()
		if memory.has(group) != want {
			t.Errorf("%d reports: known %t", len(group), !want)
		}
	}
	has(false, a)
	memory.remember([]string{a, b})
	has(true, a, b)
	has(false, a)
	has(false, a, b, c)
	memory.remember([]string{c})
	has(false, b, c)
	memory.remember([]string{a, c})
	has(false, a, b)
	has(false, b) // alone it was never judged
	has(true, a, c)
	memory.forget([]string{c})
	has(false, a, c)
}

// The profiles that were kept last are at hand, each as it was kept last, within the limit.
func TestProfileCache(t *testing.T) {
	t.Parallel()
	const limit = 4 * profileChunk
	cache := newProfileCache(limit)
	id := func(i int) string { return lore.DerivedID(strconv.Itoa(i)) }
	profile := func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, 1000) }
	const profiles = 3 * limit / 1000
	for i := range profiles {
		cache.keep(id(i), profile(i))
		if i%10 == 0 {
			cache.keep(id(3), profile(7)) // it says something else by now
		}
	}
	if cache.size > limit || len(cache.places)*(1000+profileOverhead) > limit || len(cache.blocks) > limit/profileChunk+1 {
		t.Errorf("%d bytes, %d profiles, %d blocks", cache.size, len(cache.places), len(cache.blocks))
	}
	if !bytes.Equal(cache.packed(id(3)), profile(7)) {
		t.Error("a profile that was kept anew is gone, or is the old one")
	}
	for i := profiles - limit/1000/2; i < profiles; i++ {
		if !bytes.Equal(cache.packed(id(i)), profile(i)) {
			t.Fatalf("profile %d of %d is gone, or another", i, profiles)
		}
	}
	if cache.packed(id(0)) != nil || cache.packed("no id") != nil {
		t.Error("the oldest profile is there")
	}
	cache.clear()
	cache.keep(id(1), profile(1))
	if cache.packed(id(2)) != nil || !bytes.Equal(cache.packed(id(1)), profile(1)) {
		t.Error("after it was cleared, a cache keeps other profiles than it was given")
	}
}
