package lore

import (
	"crypto/sha256"
	"encoding/binary"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Identity is what is known of the bearer of a token: enough to store a submission without another look-up.
type Identity struct {
	SourceID string `json:"source_id"`
	// Principal identifies the person or organisation behind the source: a random id that is never shown. Sources that registered with a token or an
	// invite of one another have the same.
	Principal string `json:"principal"`
	// Account is the key of the source's account, which its tokens carry.
	Account string `json:"account"`
	// ExpiresAt is when the token stops: it was replaced by another. Zero: it has no end.
	ExpiresAt time.Time `json:"expires_at,omitzero"`
	// TokenHash is the SHA-256 of the token, in hex: a registration that it vouches for is refused if it was revoked meanwhile.
	TokenHash string `json:"token_hash,omitempty"`
}

// OwnSource is a source as its principal and operators see it.
type OwnSource struct {
	ID        string     `json:"id" format:"uuid" doc:"Id of the source"`
	Name      string     `json:"name,omitempty" doc:"Its name; absent: it was erased"`
	Type      SourceType `json:"type,omitempty" enum:"agent,bot,tool,script" doc:"Kind of program"`
	CreatedAt time.Time  `json:"created_at" doc:"When it registered, UTC"`
	// RegisteredBy may be a source of another principal, where the registration came with an invite too.
	RegisteredBy string     `json:"registered_by,omitempty" format:"uuid" doc:"The source whose token registered it, which can end it; absent: it registered without a token"`
	RevokedAt    *time.Time `json:"revoked_at,omitempty" doc:"Since when its token is refused, UTC; absent: it is not"`
	EndedBy      string     `json:"ended_by,omitempty" format:"uuid" doc:"The source that ended it; absent: an operator did, or nobody"`
	BannedAt     *time.Time `json:"-"`
}

// Account is what the curator knows of a source's account. It never leaves the service.
type Account struct {
	SourceID  string
	Principal string
	// OwnerKey and Network stand for the owner's text and the network that the principal's first source gave: keyed hashes. They
	// can only lower a count of principals. Network is empty for imported sources.
	OwnerKey string
	Network  string
	// Since is when the principal's first source registered.
	Since time.Time
	// Imported: the source came with an import and never had a token.
	Imported bool
	Banned   bool
}

// Enrolment is what a registration brings beside what the agent says of itself.
type Enrolment struct {
	// Owner is the owner's text as it was given; it is hashed under a secret key and never stored.
	Owner string
	// TokenHash is the SHA-256, in hex, of the token that the agent gets; empty: it gets none.
	TokenHash string
	// Client is the address that registers; the zero value: unknown.
	Client netip.Addr
	// Joins is the bearer of a token that the registration came with; the zero value: none. The source that registers is of its principal,
	// unless Invite says otherwise, and in any case registered by it.
	Joins Identity
	// Invite is the code of an invitation; empty: none.
	Invite string
	At     time.Time
}

// accountKeyLength is how many base-36 digits name an account: 67 bits of a hash of its name.
const accountKeyLength = 13

// AccountKey returns the key of the account that a name belongs to, 13 base-36 characters. It is made of the name alone, so that
// creating an account under it fails where another one has the name. A collision blocks only the names that collide.
func AccountKey(name string) string { return accountKey("account", NameKey(name)) }

// OlderAccountKey returns the key of an account whose name became the same as another one's when names came to be compared by how
// they look: both were there before.
func OlderAccountKey(name string) string { return accountKey("older account", LegacyNameKey(name)) }

func accountKey(kind, name string) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + name))
	key := strconv.FormatUint(binary.BigEndian.Uint64(sum[:8]), 36)
	return strings.Repeat("0", accountKeyLength-len(key)) + key
}

// NetworkOf returns the network that an address is counted with, IPv4 /24 or IPv6 /48; false for what is no address.
func NetworkOf(client netip.Addr) (netip.Prefix, bool) {
	client = client.Unmap().WithZone("")
	bits := 24
	if client.Is6() {
		bits = 48
	}
	network, err := client.Prefix(bits)
	return network, err == nil
}
