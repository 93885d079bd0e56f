// Package scrubber removes secrets and personal data from text before anything is stored, logged or answered.
//
// A text is read through several views (as it came, folded, decoded, unwrapped). Rules emit spans on a
// view, spans are mapped back to the bytes that came, united, and each united span becomes one Marker.
// What is not part of a secret comes back byte for byte.
//
// The package does no I/O, keeps no state between calls, and its errors and reports never hold a value,
// a length, an offset or a hash of what was removed.
package scrubber

import (
	"errors"
	"fmt"
	"regexp"
	"sync"
)

const (
	// DefaultTokenPrefix is the prefix of this service's tokens. No word ends in it, so prose is safe.
	DefaultTokenPrefix = "agl"
	// DefaultMaxBytes bounds the free text of one document: four times the largest body the API takes.
	DefaultMaxBytes = 1 << 20

	// maxPasses bounds "repeat until nothing changes". Each pass only removes, so more than three is
	// a text built to cheat; such a text is removed whole.
	maxPasses = 4
)

// Config says how to scrub. The zero value is the service's default.
type Config struct {
	TokenPrefix string // lowercase letters and digits before the hyphen of a service token; default "agl"
	MaxBytes    int    // largest sum of a document's free text in bytes; default 1 MiB
	Literal     bool   // AGENTLORE_SCRUB_LITERAL: also apply the six patterns without boundaries, whatever they damage
}

// Scrubber holds the compiled rules. It is read-only and safe for concurrent use.
type Scrubber struct {
	maxBytes int
	rules    []rule
	anchors  anchorIndex
	runs     []runRules // one for each class of bytes
	whole    []int      // rules that look at a whole view
	pool     sync.Pool
}

// New compiles the rules. It fails on a prefix that isn't [a-z0-9]{2,32}, a negative size, or a rule
// that has no examples of what it removes and what it keeps.
func New(c Config) (*Scrubber, error) {
	if c.TokenPrefix == "" {
		c.TokenPrefix = DefaultTokenPrefix
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = DefaultMaxBytes
	}
	if !prefixForm.MatchString(c.TokenPrefix) {
		return nil, errors.New("scrubber: token prefix must be 2 to 32 lowercase letters and digits")
	}
	if c.MaxBytes < 0 {
		return nil, errors.New("scrubber: MaxBytes must not be negative")
	}
	s := &Scrubber{maxBytes: c.MaxBytes, rules: allRules(c.TokenPrefix)}
	if c.Literal {
		s.rules = append(s.rules, literalRules(c.TokenPrefix)...)
	}
	for i := range s.rules {
		r := &s.rules[i]
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("scrubber: rule %q: %w", r.name, err)
		}
		switch {
		case len(r.anchors) > 0:
			s.anchors.add(i, r)
		case r.run > 0:
			s.addRun(i, r)
		default:
			s.whole = append(s.whole, i)
		}
	}
	s.pool.New = func() any { return &scan{s: s, next: make([]int, len(s.rules))} }
	return s, nil
}

var prefixForm = regexp.MustCompile(`^[a-z0-9]{2,32}$`)

// text replaces every secret in a text by Marker and returns what was found, as kinds alone count: the places are of different passes.
// A second call on the result changes nothing. A text that comes to no end is removed whole. A panic is for the caller to recover,
// and to store nothing then.
func (s *Scrubber) text(in string) (out string, found []span) {
	sc := s.pool.Get().(*scan)
	defer sc.release()
	out = in
	for range maxPasses {
		spans := sc.find(out)
		if len(spans) == 0 {
			return out, found
		}
		found = append(found, spans...)
		out = replace(out, spans)
	}
	if len(sc.find(out)) == 0 {
		return out, found
	}
	return Marker, append(found, span{kind: KindUnscannable})
}

// Text returns a text without its secrets; the marker alone where it can't be scanned.
func (s *Scrubber) Text(in string) (out string) {
	defer func() {
		if recover() != nil {
			out = Marker
		}
	}()
	out, _ = s.text(in)
	return out
}

// Clean reports whether a text holds no secret: used to refuse a name that holds a secret, and for log lines.
func (s *Scrubber) Clean(in string) (clean bool) {
	defer func() {
		if recover() != nil {
			clean = false
		}
	}()
	sc := s.pool.Get().(*scan)
	defer sc.release()
	return len(sc.find(in)) == 0
}
