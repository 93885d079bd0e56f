package index

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
	"agentlore/scrubber"
)

// olderMapping is the accounts' mapping of version 2.
const olderMapping = `{"mappings":{"dynamic":"strict","_meta":{"version":2,"hash":"older"},"properties":{
	"kind":{"type":"keyword"},"source_id":{"type":"keyword"},"owner":{"type":"keyword","index":false,"doc_values":false},"owner_key":{"type":"keyword"},
	"token_hash":{"type":"keyword"},"previous_token_hash":{"type":"keyword","index":false,"doc_values":false},"replaces":{"type":"keyword"},
	"expires_at":{"type":"date"},"secret":{"type":"keyword","index":false,"doc_values":false},"pending":{"type":"boolean"},"created_at":{"type":"date"}}},
	"settings":{"number_of_replicas":0}}`

// A store of before becomes one with a document an account: every token works on, also in the middle of a rotation, revoked ones stay
// refused, names stay taken, also two that look alike, and each source is a principal of its own.
func TestAccountsOfBeforeAreConverted(t *testing.T) {
	t.Parallel()
	c := ownClient(t)
	migrate(t, c)
	send := func(method, path, body string) {
		t.Helper()
		if status, answer := enginetest.Elasticsearch(t, method, path, body); status >= 300 {
			t.Fatalf("%s %s: %d %s", method, path, status, answer)
		}
	}
	index := c.Alias(AccountsIndex) + "-" + firstGeneration
	send("DELETE", "/"+index, "")
	send("PUT", "/"+index, olderMapping)
	send("POST", "/_aliases", fmt.Sprintf(`{"actions":[{"add":{"index":%q,"alias":%q}}]}`, index, c.Alias(AccountsIndex)))
	put := func(id string, document olderAccount) {
		t.Helper()
		if err := c.WriteDocument(t.Context(), c.Alias(AccountsIndex), id, withoutZero(t, document), nil); err != nil {
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
		if err := c.createDocument(t.Context(), c.AliasOf(lore.Sources), source.ID, source); err != nil {
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

	if _, older, err := c.Migrate(t.Context()); err != nil || len(older) != 1 || older[0] != c.Alias(AccountsIndex) {
		t.Fatalf("of an older version are %v, %v", older, err)
	}
	if moved, err := c.Move(t.Context(), Move{Mapping: true}); err != nil || moved != 1 {
		t.Fatalf("moved %d, %v", moved, err)
	}
	if _, older, err := c.Migrate(t.Context()); err != nil || len(older) != 0 {
		t.Fatalf("after the move, of an older version are %v, %v", older, err)
	}
	a := openAccounts(t, c)
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
		if _, err := a.Identify(t.Context(), "", ended); CodeOf(err) != lore.CodeInvalidToken {
			t.Errorf("a token that has ended: %v", err)
		}
	}
	for _, name := range []string{"paypal", "PayPaI", "imported", "revoked", "rotating"} {
		with := enrolment("again "+name, "x")
		if _, err := a.Register(t.Context(), clean(t, registration(name, "x")), with); CodeOf(err) != lore.CodeNameTaken {
			t.Errorf("the name %s: %v, want it taken", name, err)
		}
	}
	if _, err := register(t, a, "half", "x"); err != nil {
		t.Errorf("a name that nobody got: %v", err)
	}
	if held := stored(t, a, "paypal").Source; held.OwnerKey != a.ownerKey("alice") || !held.Since.Equal(made) {
		t.Errorf("the owner's key is not of its text, or it is known since %s", held.Since)
	}
	// A token of before is replaced by one that carries its account.
	if err := a.Rotate(t.Context(), "", tokenHashOf("paypal"), "new", until); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Identify(t.Context(), lore.AccountKey("paypal"), "new"); err != nil {
		t.Errorf("the token that a rotation gave: %v", err)
	}
	if status, _ := enginetest.Elasticsearch(t, "GET", "/"+index, ""); status != http.StatusNotFound {
		t.Error("the accounts of before are still there")
	}
}

// withoutZero leaves out times that aren't there, which the documents of before did.
func withoutZero(t *testing.T, document olderAccount) map[string]any {
	t.Helper()
	fields := map[string]any{"kind": document.Kind, "source_id": document.SourceID, "pending": document.Pending, "created_at": document.CreatedAt}
	for name, value := range map[string]string{
		"owner": document.Owner, "owner_key": document.OwnerKey, "token_hash": document.TokenHash, "previous_token_hash": document.PreviousTokenHash,
		"secret": document.Secret, "replaces": document.Replaces,
	} {
		if value != "" {
			fields[name] = value
		}
	}
	if !document.ExpiresAt.IsZero() {
		fields["expires_at"] = document.ExpiresAt
	}
	return fields
}
