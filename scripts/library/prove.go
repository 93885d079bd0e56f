package main

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// claim is a name of an entry that wants a proof.
type claim struct {
	entry, name string
	document    bool // an identifier that documents give, as a CVE number: it is said and not printed
	needles     []needle
	enum        string // whose variants the codes of the entry are; empty: any enum's
	// proof is the place where the name is printed, as path:line; rank says how good it is: see the ranks.
	proof string
	rank  int
	// defined are the identifiers by which a program uses the name, with the place of the definition.
	defined map[string]string
}

func newClaim(entry, name string) *claim {
	return &claim{entry: entry, name: name, document: documented.MatchString(name), needles: newNeedles(name), defined: map[string]string{}}
}

// documented are identifiers that documents give: no program prints them first.
var documented = regexp.MustCompile(`^(?:(?:CVE|GHSA|GO|RUSTSEC|ASA|ISA|PYSEC|SWC|SC\d\d|CWE|SOL|MAL|LLM\d\d|ASI\d\d)[-:]?[\w-]*|-?\d{4,5}|"code":\d{4})$`)

// The ranks of proofs.
const (
	unproven = iota
	said     // in a document
	printed  // in code, by what the line does
)

// hit is a claim's needle.
type hit struct {
	claim  *claim
	needle needle
}

// prove looks for claims in the files of a checkout.
func prove(files []*file, claims []*claim, preferred map[string]bool) {
	byKey := map[string][]hit{}
	for _, c := range claims {
		for _, n := range c.needles {
			byKey[n.key] = append(byKey[n.key], hit{c, n})
		}
	}
	slices.SortStableFunc(files, func(a, b *file) int { // what the entries cite first
		return cmp.Compare(rankOf(b, preferred), rankOf(a, preferred))
	})
	for _, f := range files {
		f.enumerate(claims)
		f.each(func(word string, at int) {
			for _, h := range byKey[word] {
				if start, found := h.needle.at(f.flat, at); found && strings.Contains("/"+f.path, h.needle.in) {
					h.claim.met(f, f.line(start), h.needle)
				}
			}
		})
	}
	wanted := map[string][]*claim{}
	for _, c := range claims {
		if c.rank < printed {
			for ident := range c.defined {
				wanted[ident] = append(wanted[ident], c)
			}
		}
	}
	if len(wanted) == 0 {
		return
	}
	for _, f := range files {
		if f.prose {
			continue
		}
		f.each(func(word string, at int) {
			for _, c := range wanted[word] {
				line := f.line(at)
				if c.rank < printed && c.defined[word] != place(f, line) && f.uses(line, word) {
					c.proof, c.rank = place(f, line), printed
				}
			}
		})
	}
}

func rankOf(f *file, preferred map[string]bool) int {
	if preferred[f.path] {
		return 1
	}
	return 0
}

// each calls a function with each word of the text and its place.
func (f *file) each(call func(word string, at int)) {
	for i := 0; i < len(f.flat); {
		if !isWord(f.flat[i]) {
			i++
			continue
		}
		start := i
		for i < len(f.flat) && isWord(f.flat[i]) {
			i++
		}
		call(f.flat[start:i], start)
	}
}

// met records that a claim's needle stands in a line.
func (c *claim) met(f *file, line int, n needle) {
	if c.rank == printed {
		return
	}
	text := f.lines[line]
	switch {
	case f.prose:
		if c.document && c.rank < said {
			c.proof, c.rank = place(f, line), said
		}
		return
	case comment.MatchString(text):
		return
	}
	at := wordIndexOf(text, n)
	if n.word && !inQuotes(text, at) {
		if f.uses(line, n.parts[0]) {
			c.proof, c.rank = place(f, line), printed
		} else {
			c.defined[n.parts[0]] = place(f, line)
		}
		return
	}
	if n.word && !coded.MatchString(n.parts[0]) { // a plain word in another text
		return
	}
	if idents := f.definedBy(line); len(idents) > 0 {
		for _, ident := range idents {
			c.defined[ident] = place(f, line)
		}
		return
	}
	c.proof, c.rank = place(f, line), printed
}

// coded is an identifier that is no plain word: it has a capital, a digit or an underscore inside.
var coded = regexp.MustCompile(`.[A-Z0-9_]`)

func wordIndexOf(line string, n needle) int { return max(strings.Index(line, n.parts[0]), 0) }

func place(f *file, line int) string { return f.path + ":" + itoa(line+1) }
