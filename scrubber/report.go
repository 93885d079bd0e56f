package scrubber

import (
	"cmp"
	"slices"
	"strings"
)

// Marker replaces each removed span. It is never matched by a rule.
const Marker = "[SCRUBBED]"

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
	{KindEthKey, "32-byte hex; if it was a transaction hash, cite it without 0x; if it was a private key, move the funds"},
	{KindJWT, noteRotate}, {KindServiceToken, "rotate it: POST /intake/token/rotate"}, {KindProviderKey, noteRotate},
	{KindRPCURL, noteRotate}, {KindURLPassword, noteRotate}, {KindEmail, "personal data; name a role or a public handle"},
	{KindAuthHeader, noteRotate},
	{KindContextual, noteRotate}, {KindUnscannable, ""},
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

// Item is one line of a report: how many secrets of one type were removed from one field.
// Field is the field's name in JSON ("summary", "tags[2]"), never text of the submitter.
type Item struct {
	Field string `json:"field"`
	Type  Kind   `json:"type"`
	Count int    `json:"count"`
	Note  string `json:"note,omitempty"`
}

// Report tells a submitter what was removed. It holds no value, prefix, length, offset or hash.
// Removed is never nil and is sorted by field and type, so equal input gives an equal report.
type Report struct {
	Changed bool   `json:"changed"`
	Removed []Item `json:"removed"`
	Message string `json:"message,omitempty"`
}

const removedMessage = "Secrets or personal data were replaced by " + Marker + " before storage. " +
	"The originals were not kept. Rotate any real key."

// Counts sums the report by kind, for the statistics that are stored. It is empty, not nil, when nothing was removed.
func (r Report) Counts() map[string]int {
	counts := make(map[string]int, len(r.Removed))
	for _, item := range r.Removed {
		counts[string(item.Type)] += item.Count
	}
	return counts
}

// add counts removed spans of a field.
func (r *Report) add(field string, spans []span) {
	for _, sp := range spans {
		i := slices.IndexFunc(r.Removed, func(item Item) bool { return item.Field == field && item.Type == sp.kind })
		if i < 0 {
			i = len(r.Removed)
			r.Removed = append(r.Removed, Item{Field: field, Type: sp.kind, Note: sp.kind.Note()})
		}
		r.Removed[i].Count++
	}
}

// finish sorts what was added.
func (r *Report) finish() {
	slices.SortFunc(r.Removed, func(a, b Item) int { // tags[2] before tags[10]
		listA, _, _ := strings.Cut(a.Field, "[")
		listB, _, _ := strings.Cut(b.Field, "[")
		return cmp.Or(cmp.Compare(listA, listB), cmp.Compare(len(a.Field), len(b.Field)), cmp.Compare(a.Field, b.Field),
			cmp.Compare(a.Type, b.Type))
	})
	if r.Changed = len(r.Removed) > 0; r.Changed {
		r.Message = removedMessage
	}
}
