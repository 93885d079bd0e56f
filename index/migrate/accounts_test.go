package migrate

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/index"
	"agentlore/index/accounts"
	"agentlore/index/indextest"
	"agentlore/lore"
	"agentlore/scrubber"
)

// olderMapping is the accounts' mapping of version 2.
const olderMapping = `{"mappings":{"dynamic":"strict","_meta":{"version":2,"hash":"older"},"properties":{
	"kind":{"type":"keyword"},"source_id":{"type":"keyword"},"owner":{"type":"keyword","index":false,"doc_values":false},"owner_key":{"type":"keyword"},
	"token_hash":{"type":"keyword"},"previous_token_hash":{"type":"keyword","index":false,"doc_values":false},"replaces":{"type":"keyword"},
	"expires_at":{"type":"date"},"secret":{"type":"keyword","index":false,"doc_values":false},"pending":{"type":"boolean"},"created_at":{"type":"date"}}},
	"settings":{"number_of_replicas":0}}`

// olderAccount is a document of the accounts of before.
type olderAccount struct {
	Kind              string    `json:"kind"`
	SourceID          string    `json:"source_id"`
	Owner             string    `json:"owner,omitempty"`
	OwnerKey          string    `json:"owner_key,omitempty"`
	TokenHash         string    `json:"token_hash,omitempty"`
	PreviousTokenHash string    `json:"previous_token_hash,omitempty"`
	Secret            string    `json:"secret,omitempty"`
	Pending           bool      `json:"pending"`
	CreatedAt         time.Time `json:"created_at"`
	Replaces          string    `json:"replaces,omitempty"`
	ExpiresAt         time.Time `json:"expires_at,omitzero"`
}

// tokenHashOf returns what stands for the hash of a name's token.
func tokenHashOf(name string) string { return fmt.Sprintf("%064x", name) }

// A store of before becomes one with a document an account: every token works on, also in the middle of a rotation, revoked ones stay
// refused, names stay taken, also two that look alike, and each source is a principal of its own.
func TestAccountsOfBeforeAreConverted(t *testing.T) {
	t.Parallel()
	c := indextest.Empty(t)
	indextest.Migrate(t, c)
	send := func(method, path, body string) {
		t.Helper()
		if status, answer := enginetest.Elasticsearch(t, method, path, body); status >= 300 {
			t.Fatalf("%s %s: %d %s", method, path, status, answer)
		}
	}
	older := c.Alias(index.AccountsIndex) + "-" + index.FirstGeneration
	send("DELETE", "/"+older, "")
	send("PUT", "/"+older, olderMapping)
	send("POST", "/_aliases", fmt.Sprintf(`{"actions":[{"add":{"index":%q,"alias":%q}}]}`, older, c.Alias(index.AccountsIndex)))
	put := func(id string, document olderAccount) {
		t.Helper()
		if err := c.WriteDocument(t.Context(), c.Alias(index.AccountsIndex), id, document, nil); err != nil {
			t.Fatal(err)
		}
	}
	made := time.Now().Add(-30 * 24 * time.Hour).UTC().Truncate(time.Millisecond)
	secret := strings.Repeat("ab", 32)
	put("secret:owner-key", olderAccount{Kind: "secret", Secret: secret, CreatedAt: made})
	sources := map[string]string{}
	before := func(name, owner string, document olderAccount, tokens map[string]olderAccount) {
		t.Helper()
		document.Kind, document.Owner, document.OwnerKey, document.CreatedAt = "name", owner, "older key of "+owner, made
		document.SourceID = lore.NewID()
		sources[name] = document.SourceID
		source := lore.Source{ID: document.SourceID, Name: name, Type: lore.SourceAgent, Ecosystem: []string{}, CreatedAt: made}
		if err := c.CreateDocument(t.Context(), c.AliasOf(lore.Sources), source.ID, source); err != nil {
			t.Fatal(err)
		}
		put("name:"+tokenHashOf(name), document)
		for hash, token := range tokens {
			token.Kind, token.SourceID, token.CreatedAt = "token", document.SourceID, made
			put("token:"+hash, token)
		}
	}
	one := func(name string) (olderAccount, map[string]olderAccount) {
		return olderAccount{TokenHash: tokenHashOf(name)}, map[string]olderAccount{tokenHashOf(name): {}}
	}
	document, tokens := one("paypal")
	before("paypal", "alice", document, tokens)
	document, tokens = one("pаypal")
	before("pаypal", scrubber.Marker, document, tokens) // Cyrillic: taken beside the other before
	before("imported", "imported", olderAccount{}, nil)
	before("revoked", "bob", olderAccount{TokenHash: tokenHashOf("revoked")}, nil)
	until := time.Now().Add(time.Minute).UTC().Truncate(time.Millisecond)
	before("rotating", "alice", olderAccount{TokenHash: tokenHashOf("fresh"), PreviousTokenHash: tokenHashOf("stale")},
		map[string]olderAccount{tokenHashOf("fresh"): {Replaces: tokenHashOf("stale")}, tokenHashOf("stale"): {ExpiresAt: until}})
	put("name:"+tokenHashOf("half"), olderAccount{Kind: "name", SourceID: lore.NewID(), Pending: true, CreatedAt: made})

	if _, older, err := c.Migrate(t.Context()); err != nil || len(older) != 1 || older[0] != c.Alias(index.AccountsIndex) {
		t.Fatalf("of an older version are %v, %v", older, err)
	}
	if moved, err := New(c).Move(t.Context(), Move{Mapping: true}); err != nil || moved != 1 {
		t.Fatalf("moved %d, %v", moved, err)
	}
	if _, older, err := c.Migrate(t.Context()); err != nil || len(older) != 0 {
		t.Fatalf("after the move, of an older version are %v, %v", older, err)
	}
	a, err := accounts.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	register := func(name, owner string) (lore.Source, error) {
		registration := indextest.Clean(t, lore.Registration{Name: name, Type: lore.SourceAgent, Owner: owner})
		return a.Register(t.Context(), registration, lore.Enrolment{Owner: owner, TokenHash: tokenHashOf("again " + name), At: time.Now()})
	}
	principals := map[string]bool{}
	for hash, name := range map[string]string{tokenHashOf("paypal"): "paypal", tokenHashOf("pаypal"): "pаypal", tokenHashOf("stale"): "rotating"} {
		identity, err := a.Identify(t.Context(), "", hash)
		if err != nil || identity.SourceID != sources[name] || identity.Principal == "" {
			t.Errorf("the token of %s bears %+v, %v", name, identity, err)
		}
		principals[identity.Principal] = true
		if held, live, err := a.SourceByName(t.Context(), name); err != nil || !live || held != (lore.Identity{SourceID: identity.SourceID, Principal: identity.Principal, Account: identity.Account}) {
			t.Errorf("the name %s is %+v, %v", name, held, err)
		}
	}
	if len(principals) != 3 {
		t.Errorf("three sources have %d principals", len(principals))
	}
	if identity, err := a.Identify(t.Context(), "", tokenHashOf("stale")); err != nil || !identity.ExpiresAt.Equal(until) {
		t.Errorf("a token that is being replaced is %+v, %v", identity, err)
	}
	if _, err := a.Identify(t.Context(), "", tokenHashOf("fresh")); err != nil {
		t.Errorf("the token that replaces it: %v", err)
	}
	for _, ended := range []string{tokenHashOf("stale"), tokenHashOf("revoked"), tokenHashOf("nobody")} {
		if _, err := a.Identify(t.Context(), "", ended); lore.CodeOf(err) != lore.CodeInvalidToken {
			t.Errorf("a token that has ended: %v", err)
		}
	}
	for _, name := range []string{"paypal", "PayPaI", "imported", "revoked", "rotating"} {
		if _, err := register(name, "x"); lore.CodeOf(err) != lore.CodeNameTaken {
			t.Errorf("the name %s: %v, want it taken", name, err)
		}
	}
	if _, err := register("half", "x"); err != nil {
		t.Errorf("a name that nobody got: %v", err)
	}
	newcomer, err := register("newcomer", "alice")
	if err != nil {
		t.Fatal(err)
	}
	sources["newcomer"] = newcomer.ID
	indextest.Refresh(t, c, index.AccountsIndex)
	owned := map[string]bool{}
	for _, name := range []string{"paypal", "newcomer"} {
		found, err := accounts.Find(t.Context(), c, index.Term("source_id", sources[name]))
		if err != nil || len(found) != 1 {
			t.Fatalf("the accounts named %s: %v, %v", name, found, err)
		}
		if owned[found[0].Source.OwnerKey] = true; name == "paypal" && !found[0].Source.Since.Equal(made) {
			t.Errorf("it is known since %s", found[0].Source.Since)
		}
	}
	if len(owned) != 1 {
		t.Error("the owner's key is not of its text")
	}
	// A later move copies the accounts whole: without its key, every owner would be the same one.
	keyOf := func(name string) string {
		found, err := accounts.Find(t.Context(), c, index.Term("source_id", sources[name]))
		if err != nil || len(found) != 1 {
			t.Fatalf("the accounts named %s: %v, %v", name, found, err)
		}
		return found[0].Source.OwnerKey
	}
	key := keyOf("newcomer")
	if moved, err := New(c).Move(t.Context(), Move{Shards: index.Shards{index.AccountsIndex: 2}}); err != nil || moved != 1 {
		t.Fatalf("moved %d, %v", moved, err)
	}
	if moved := keyOf("newcomer"); key == "" || moved != key {
		t.Errorf("the owner's key was %q and is %q", key, moved)
	}
	// A token of before is replaced by one that carries its account.
	if err := a.Rotate(t.Context(), "", tokenHashOf("paypal"), "new", until); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Identify(t.Context(), lore.AccountKey("paypal"), "new"); err != nil {
		t.Errorf("the token that a rotation gave: %v", err)
	}
	if status, _ := enginetest.Elasticsearch(t, "GET", "/"+older, ""); status != http.StatusNotFound {
		t.Error("the accounts of before are still there")
	}
}
