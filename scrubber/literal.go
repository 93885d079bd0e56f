package scrubber

import "regexp"

// literalRule is one of the specification's six patterns, applied as it is written: AGENTLORE_SCRUB_LITERAL.
type literalRule struct {
	kind    Kind
	pattern *regexp.Regexp
}

func literalRules(prefix string) []literalRule {
	return []literalRule{
		{KindLedgerSeed, regexp.MustCompile(`s[1-9A-HJ-NP-Za-km-z]{25,34}`)},
		{KindLedgerKey, regexp.MustCompile(`ED[A-Fa-f0-9]{64}`)},
		{KindEthKey, regexp.MustCompile(`0x[a-fA-F0-9]{64}`)},
		{KindJWT, regexp.MustCompile(`eyJ[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*`)},
		{KindServiceToken, regexp.MustCompile(regexp.QuoteMeta(prefix) + `-[a-z0-9]+`)},
		{KindEmail, regexp.MustCompile(`[\pL\pM\pN._%+'-]+@[\pL\pM\pN-]+(?:\.[\pL\pM\pN-]+)*\.[\pL\pM]{2,}`)},
	}
}

func (r *literalRule) find(sc *scan, strict bool) {
	if strict {
		return
	}
	for _, m := range r.pattern.FindAllStringIndex(sc.text, -1) {
		sc.emit(r.kind, m[0], m[1])
	}
}
