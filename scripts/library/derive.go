package main

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	solanaCode = regexp.MustCompile(`^custom program error: 0x([0-9a-f]+)$`)
	enumBegins = regexp.MustCompile(`^\s*pub\s+enum\s+(\w*Error\w*)\s*\{`)
	enumMember = regexp.MustCompile(`^\s*([A-Z]\w*)\s*(?:\([^)]*\)|\{[^}]*\})?\s*(?:=\s*([\d_]+))?\s*,`)
	anchorLine = regexp.MustCompile(`^Error Code: (\w+)\. Error Number: \d+\.`)
)

// enumerate notes for the codes of Solana programs which variants of a file's enums have them: a code is printed where its variant is used.
// The variants of an enum count from 0, or go on from a number that one is given.
func (f *file) enumerate(claims []*claim) {
	if !strings.HasSuffix(f.path, ".rs") {
		return
	}
	members := map[uint64][]string{}
	for i := 0; i < len(f.lines); i++ {
		begins := enumBegins.FindStringSubmatch(f.lines[i])
		if begins == nil {
			continue
		}
		value := uint64(0)
		for i++; i < len(f.lines) && !strings.HasPrefix(strings.TrimSpace(f.lines[i]), "}"); i++ {
			found := enumMember.FindStringSubmatch(f.lines[i])
			if found == nil {
				continue
			}
			if number, err := strconv.ParseUint(strings.ReplaceAll(found[2], "_", ""), 10, 32); err == nil {
				value = number
			}
			members[value] = append(members[value], begins[1]+"::"+found[1]+" "+itoa(i))
			value++
		}
	}
	if len(members) == 0 {
		return
	}
	for _, c := range claims {
		if code := solanaCode.FindStringSubmatch(c.name); code != nil {
			value, _ := strconv.ParseUint(code[1], 16, 32)
			for _, member := range members[value] {
				name, line, _ := strings.Cut(member, " ")
				if enum, variant, _ := strings.Cut(name, "::"); c.enum == "" || c.enum == enum {
					name = variant
				} else {
					continue
				}
				at, _ := strconv.Atoi(line)
				c.defined[name] = place(f, at)
			}
		}
	}
}

// derive proves names that are made of another one of their entry: an Anchor error's line of its name, a text of the variant that has it.
func (l *library) derive(claims []*claim) {
	proven := map[string][]*claim{} // by entry
	for key, proof := range l.proofs {
		proven[key[0]] = append(proven[key[0]], &claim{name: key[1], proof: proof, rank: printed})
	}
	for _, c := range claims {
		if c.rank > unproven {
			proven[c.entry] = append(proven[c.entry], c)
		}
	}
	for _, c := range claims {
		if c.rank > unproven {
			continue
		}
		line := anchorLine.FindStringSubmatch(c.name)
		for _, of := range proven[c.entry] {
			own := of.name[strings.LastIndexByte(of.name, ':')+1:]
			if _, defined := c.defined[own]; defined || line != nil && of.name == line[1] {
				c.proof, c.rank = of.proof, of.rank
			}
		}
	}
}
