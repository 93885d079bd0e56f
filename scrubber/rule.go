package scrubber

import (
	"regexp"
	"strings"
)

// Kind names a sort of secret. Kinds are stable: they are part of the API's answers and of stored statistics.
type Kind string

// The kinds of the interface specification.
const (
	KindLedgerSeed   Kind = "ledger_seed"   // s + 25..34 base58: an XRPL family seed; also XRPL secret numbers
	KindLedgerKey    Kind = "ledger_key"    // ED + 64 hex digits
	KindEthKey       Kind = "eth_key"       // 0x + 64 hex digits
	KindJWT          Kind = "jwt"           // three parts, beginning eyJ; also JWE with five
	KindServiceToken Kind = "service_token" // this service's own API tokens
	KindEmail        Kind = "email"         // any e-mail address
)

// The kinds this service adds: each needs a checksum, a fixed form, or a keyword before it.
const (
	KindBIP39         Kind = "bip39"          // a seed phrase: BIP-39, Electrum, TON, Algorand, Monero
	KindPEM           Kind = "pem"            // a private key in PEM, DER or a JSON Web Key
	KindSolanaKeypair Kind = "solana_keypair" // 64 bytes whose second half is the public key of the first
	KindProviderKey   Kind = "provider_key"   // a key with its issuer's fixed prefix
	KindRPCURL        Kind = "rpc_url"        // the key part of a node provider's URL
	KindURLPassword   Kind = "url_password"   // scheme://user:password@
	KindAuthHeader    Kind = "auth_header"    // Authorization: Basic or Bearer
	KindContextual    Kind = "contextual"     // a value that its keyword calls a secret
	KindWIF           Kind = "wif"            // a Bitcoin private key in wallet import format
	KindXprv          Kind = "xprv"           // a BIP-32 extended private key
	KindNsec          Kind = "nsec"           // a Nostr private key
	KindSuiKey        Kind = "sui_key"        // suiprivkey1...
	KindAgeKey        Kind = "age_key"        // AGE-SECRET-KEY-1...
	KindStellarSeed   Kind = "stellar_seed"   // S... with a valid CRC
	KindUnscannable   Kind = "unscannable"    // scanning came to no end, so the whole text was removed
)

const (
	noteLeaked = "treat it as leaked: move what it guards to a new key"
	noteRotate = "rotate it"
)

// kinds lists the kinds with what a submitter should do about a removal. When spans of several kinds are united, the first of
// them here names the span.
var kinds = []struct {
	kind Kind
	note string
}{
	{KindPEM, noteLeaked}, {KindBIP39, noteLeaked}, {KindSolanaKeypair, noteLeaked}, {KindXprv, noteLeaked},
	{KindWIF, noteLeaked}, {KindNsec, noteLeaked}, {KindSuiKey, noteLeaked}, {KindAgeKey, noteLeaked},
	{KindStellarSeed, noteLeaked}, {KindLedgerSeed, noteLeaked},
	{KindLedgerKey, "if it was a private key, rotate it; a public key of this form is removed too, cite the account address"},
	{KindEthKey, "32-byte hex; if it was a transaction hash, cite it without 0x, in an explorer's link too, or by block number and index; if it was a private key, move the funds"},
	{KindJWT, noteRotate}, {KindServiceToken, "rotate it: POST /intake/token/rotate"}, {KindProviderKey, noteRotate},
	{KindRPCURL, noteRotate}, {KindURLPassword, noteRotate}, {KindEmail, "personal data; name a role or a public handle"},
	{KindAuthHeader, noteRotate},
	{KindContextual, noteRotate}, {KindUnscannable, "the whole text was removed, as searching it came to no end: send it with less encoded data"},
}

func (k Kind) rank() int {
	for i := range kinds {
		if kinds[i].kind == k {
			return i
		}
	}
	return len(kinds)
}

// Note is what helps a submitter who reads the report: what to do about a removal of this kind.
func (k Kind) Note() string {
	if i := k.rank(); i < len(kinds) {
		return kinds[i].note
	}
	return ""
}

// rule finds one form of secret. It is called at its anchors, or for its runs, or, if it has neither, once for a whole view.
type rule struct {
	name string
	kind Kind

	anchors []string // literals, at least three bytes; every match holds one of them
	fold    bool     // anchors match without regard to ASCII case; they are written in lower case
	run     int      // called for maximal runs of at least so many bytes
	class   uint32   // that a run is made of; 0: letters and digits

	// strict rules carry a proof of their own (checksum or fixed length), so they may also read the
	// unwrapped view, where the end of one line is glued to the start of the next.
	strict bool

	// spread rules read the fields of a document as lines of one text, too: a value may stand in the field after its name.
	spread bool

	// find looks at a trigger, text[lo:hi], and emits spans. An anchored rule is not called again for anchors in what it
	// emitted, nor before sc.resume, which it may set to stay linear.
	find func(sc *scan, lo, hi int)

	// pattern stands for find. It begins where the stretch of the class head begins that the trigger stands in, or at the
	// trigger. What its last group holds goes if accept, where there is one, says that it is a secret.
	pattern *regexp.Regexp
	head    uint32
	accept  func(sc *scan, secret string) bool

	// removed and kept are the rule's examples: a test asks for both and holds it to them. «» marks what must go and
	// <class:n> stands for n random characters, so that no secret is written in the source.
	removed, kept []string
}

// match applies the rule's pattern at a trigger.
func (r *rule) match(sc *scan, lo, hi int) {
	from := back(sc.text, lo, r.head)
	sc.resume = forward(sc.text, hi, r.head) // other anchors in the stretch lead to the same place
	m := r.pattern.FindStringSubmatchIndex(sc.text[from:])
	if m == nil {
		return
	}
	last := len(m) - 2
	if lo, hi = from+m[last], from+m[last+1]; r.accept == nil || r.accept(sc, sc.text[lo:hi]) {
		sc.emit(r.kind, lo, hi)
	}
}

// allRules lists every family.
func allRules() []rule {
	var all []rule
	for _, family := range [][]rule{
		ledgerRules(), jwtRules(), tokenRules(), emailRules(), phraseRules(), spelledPhraseRules(), pemRules(), solanaRules(), checksummedRules(),
		providerRules(), urlRules(), rpcRules(), headerRules(), commandLineRules(), contextualRules(), namedKeyRules(), commandKeyRules(), proseRules(),
	} {
		all = append(all, family...)
	}
	return all
}

// literalRules are the specification's six patterns, applied as they are written: AGENTLORE_SCRUB_LITERAL.
func literalRules() (rules []rule) {
	for _, p := range [...]struct {
		kind             Kind
		pattern, example string
	}{
		{KindLedgerSeed, `s[1-9A-HJ-NP-Za-km-z]{25,34}`, "«s<b58:34>»z"},
		{KindLedgerKey, `ED[A-Fa-f0-9]{64}`, "x«ED<HEX:64>»0"},
		{KindEthKey, `0x[a-fA-F0-9]{64}`, "«0x<hex:64>»0"},
		{KindJWT, `eyJ[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*`, "surv«eyJoin.a.b»"},
		{KindServiceToken, `agl-[a-z0-9]+`, "x«agl-<b36:3>»"},
		{KindEmail, `[\pL\pM\pN._%+'-]+@[\pL\pM\pN-]+(?:\.[\pL\pM\pN-]+)*\.[\pL\pM]{2,}`, "«git@<a:6>.com»:<a:4>/<a:5>.git"},
	} {
		pattern := regexp.MustCompile(p.pattern)
		rules = append(rules, rule{
			name: "literal " + string(p.kind), kind: p.kind, removed: []string{p.example}, kept: []string{"a.b"},
			find: func(sc *scan, _, _ int) {
				for _, m := range pattern.FindAllStringIndex(sc.text, -1) {
					sc.emit(p.kind, m[0], m[1])
				}
			},
		})
	}
	return rules
}

// anchorIndex finds the places where a rule's literal may stand, by its first three bytes without regard to case: a text is
// read once, whatever the number of rules.
type anchorIndex struct {
	bitmap  [2048]uint32 // one bit for each 16-bit hash of three bytes: 8 KiB stay in the first cache
	anchors map[uint32][]anchor
}

// anchor is one literal of a rule.
type anchor struct {
	literal string
	rule    int
	fold    bool
}

// window is three bytes without regard to case; windowBit is where it has its bit in the bitmap.
func window(s string) uint32 { return uint32(s[0]|0x20)<<16 | uint32(s[1]|0x20)<<8 | uint32(s[2]|0x20) }

func windowBit(w uint32) (at, bit uint32) {
	hash := w * 0x9E3779B1 >> 16
	return hash >> 5, 1 << (hash & 31)
}

func (x *anchorIndex) add(rule int, r *rule) {
	if x.anchors == nil {
		x.anchors = make(map[uint32][]anchor)
	}
	for _, literal := range r.anchors {
		w := window(literal)
		at, bit := windowBit(w)
		x.bitmap[at] |= bit
		x.anchors[w] = append(x.anchors[w], anchor{literal, rule, r.fold})
	}
}

// standsIn reports whether the anchor's literal begins a text.
func (a anchor) standsIn(text string) bool {
	if len(text) < len(a.literal) {
		return false
	}
	text = text[:len(a.literal)]
	return text == a.literal || a.fold && strings.EqualFold(text, a.literal)
}

// anchored calls the anchored rules of the present view.
func (sc *scan) anchored() {
	text, index := sc.text, &sc.s.anchors
	if len(text) < 3 {
		return
	}
	w := uint32(text[0]|0x20)<<8 | uint32(text[1]|0x20)
	for i := 2; i < len(text); i++ {
		w = (w<<8 | uint32(text[i]|0x20)) & 0xffffff
		if at, bit := windowBit(w); index.bitmap[at]&bit == 0 {
			continue
		}
		lo := i - 2
		for _, a := range index.anchors[w] {
			rule := &sc.s.rules[a.rule]
			if lo < sc.next[a.rule] || sc.strict && !rule.strict || sc.crosses && !rule.spread || !a.standsIn(text[lo:]) {
				continue
			}
			sc.resume = lo + 1
			rule.find(sc, lo, lo+len(a.literal))
			sc.next[a.rule] = sc.resume
		}
	}
}
