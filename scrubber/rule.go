package scrubber

import "errors"

// rule finds one form of secret. Exactly one trigger is set: anchors, run, at, or none (the whole view).
type rule struct {
	name string
	kind Kind

	anchors []string // literals, at least three bytes; every match holds one of them
	fold    bool     // anchors match without regard to ASCII case; they are written in lower case
	run     int      // called for maximal runs of ASCII letters and digits of at least this length
	at      bool     // called for each at sign

	// strict rules carry a proof of their own (checksum or fixed length), so they may also read the
	// unwrapped view, where the end of one line is glued to the start of the next.
	strict bool

	// find looks at a trigger, text[lo:hi], emits spans, and returns the position before which this
	// rule need not look again: what keeps repeated anchors linear.
	find func(sc *scan, lo, hi int) int

	// removed and kept are the rule's examples: a test holds it to them. «» marks what must go and
	// <class:n> stands for n random characters, so that no secret is written in the source.
	removed, kept []string
}

// check refuses a rule that comes without examples or with an unusable trigger.
func (r rule) check() error {
	if len(r.removed) == 0 || len(r.kept) == 0 {
		return errors.New("needs examples of what it removes and what it keeps")
	}
	if r.find == nil {
		return errors.New("needs find")
	}
	for _, a := range r.anchors {
		if len(a) < 3 {
			return errors.New("anchors need at least three bytes")
		}
	}
	return nil
}

// allRules lists every family.
func allRules(prefix string) []rule {
	var all []rule
	for _, family := range [][]rule{
		ledgerRules(), hexKeyRules(), jwtRules(), tokenRules(prefix), emailRules(),
		bip39Rules(), phraseRules(), pemRules(), solanaRules(), checksummedRules(), providerRules(), urlRules(), rpcRules(), headerRules(), contextualRules(), namedKeyRules(),
		secretNumberRules(), jwkRules(), derRules(),
	} {
		all = append(all, family...)
	}
	return all
}
