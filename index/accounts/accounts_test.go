package accounts

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/index"
	"agentlore/index/indextest"
	"agentlore/lore"
)

func openAccounts(t *testing.T, client *index.Client) *Accounts {
	t.Helper()
	accounts, err := Open(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	return accounts
}

// tokenHashOf makes something of the form of a token's hash.
func tokenHashOf(name string) string { return fmt.Sprintf("%064x", name) }

func registration(name, owner string) lore.Registration {
	return lore.Registration{Name: name, Type: lore.SourceAgent, Owner: owner, Ecosystem: []string{"Ethereum"}, Description: "tests"}
}

func enrolment(name, owner string) lore.Enrolment {
	return lore.Enrolment{Owner: owner, TokenHash: tokenHashOf(name), Client: netip.MustParseAddr("192.0.2.1"), At: time.Now()}
}

func register(t *testing.T, a *Accounts, name, owner string) (lore.Source, error) {
	t.Helper()
	return a.Register(t.Context(), indextest.Clean(t, registration(name, owner)), enrolment(name, owner))
}

func mustRegister(t *testing.T, a *Accounts, name, owner string, change ...func(*lore.Enrolment)) Stored {
	t.Helper()
	with := enrolment(name, owner)
	for _, edit := range change {
		edit(&with)
	}
	if _, err := a.Register(t.Context(), indextest.Clean(t, registration(name, owner)), with); err != nil {
		t.Fatalf("register %s: %v", name, err)
	}
	return stored(t, a, name)
}

// identify looks up the token that register gave a name.
func identify(t *testing.T, a *Accounts, name string) (lore.Identity, error) {
	t.Helper()
	return a.Identify(t.Context(), lore.AccountKey(name), tokenHashOf(name))
}

// bearerOf is identify for a token that is accepted.
func bearerOf(t *testing.T, a *Accounts, name string) lore.Identity {
	t.Helper()
	bearer, err := identify(t, a, name)
	if err != nil {
		t.Fatal(err)
	}
	return bearer
}

// stored reads the account of a name.
func stored(t *testing.T, a *Accounts, name string) Stored {
	t.Helper()
	read, err := a.get(t.Context(), lore.AccountKey(name))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func TestRegistration(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	a := openAccounts(t, client)
	mail := func(who string) string { return who + "@" + "mail.example" }
	source, err := register(t, a, "Reg One", mail("one"))
	if err != nil {
		t.Fatal(err)
	}
	// The token works at once, whatever the refresh interval.
	identity, err := a.Identify(t.Context(), lore.AccountKey("Reg One"), strings.ToUpper(tokenHashOf("Reg One")))
	if err != nil || identity.SourceID != source.ID || identity.Principal == "" || identity.Account != lore.AccountKey("Reg One") {
		t.Errorf("identity is %+v, %v", identity, err)
	}
	for key, hash := range map[string]string{lore.AccountKey("Reg One"): tokenHashOf("nobody"), lore.AccountKey("nobody"): tokenHashOf("Reg One")} {
		if _, err := a.Identify(t.Context(), key, hash); lore.CodeOf(err) != lore.CodeInvalidToken {
			t.Errorf("an unknown token: %v", err)
		}
	}
	for _, taken := range []string{"Reg One", "reg one", " REG ONE ", "Ｒeg Ｏne", "Rеg 0ne"} {
		again := enrolment(taken+" again", "x")
		if _, err := a.Register(t.Context(), indextest.Clean(t, registration(taken, "x")), again); lore.CodeOf(err) != lore.CodeNameTaken {
			t.Errorf("%q is taken already: %v", taken, err)
		}
	}
	held, live, err := a.SourceByName(t.Context(), "REG one")
	if err != nil || held.SourceID != identity.SourceID || !live {
		t.Errorf("by its name it is %+v, live %v, %v", held, live, err)
	}
	if _, _, err := a.SourceByName(t.Context(), "nobody"); lore.CodeOf(err) != lore.CodeNotFound {
		t.Errorf("a name that nobody has: %v", err)
	}

	// Two owners who gave addresses are stored alike and stay two; owners that look alike are one.
	other := mustRegister(t, a, "Reg Two", mail("two"))
	first := stored(t, a, "Reg One").Source
	if other.Source.OwnerKey == first.OwnerKey || other.Source.Principal == first.Principal || other.Source.Owner != first.Owner {
		t.Error("two owners have one key, two registrations one principal, or what is stored of an address tells them apart")
	}
	if a.ownerKey(" ALICE ") != a.ownerKey("alice") || len(a.ownerKey("alice")) < 32 || a.ownerKey("аlice") != a.ownerKey("alice") {
		t.Error("an owner's key depends on how the name is written, or is short")
	}

	// What is public knows neither owner nor token, and what is private holds no address of owner or client.
	text := enginetest.Source(t, client.AliasOf(lore.Sources), source.ID)
	for _, private := range []string{"owner", "token", "mail.example", first.OwnerKey, first.Principal, first.Network} {
		if strings.Contains(text, private) {
			t.Errorf("the public entry holds %q: %s", private, text)
		}
	}
	text = enginetest.Source(t, client.Alias(index.AccountsIndex), lore.AccountKey("Reg One"))
	if strings.Contains(text, "mail.example") || strings.Contains(text, "192.0.2") || !strings.Contains(text, "[SCRUBBED]") {
		t.Errorf("the account holds an address: %s", text)
	}
}

// Several processes start at once on an empty store: they must end with one owner key, or one owner would count twice.
func TestOwnerKeyIsMadeOnce(t *testing.T) {
	t.Parallel()
	client := indextest.Empty(t)
	indextest.Migrate(t, client)
	var mu sync.Mutex
	keys := map[string]bool{}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			a, err := Open(context.Background(), client)
			if err != nil {
				t.Error(err)
				return
			}
			network, err := a.networkKey(context.Background(), netip.MustParseAddr("2001:db8::1"), time.Now())
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			keys[a.ownerKey("alice")+network] = true
		})
	}
	group.Wait()
	if len(keys) != 1 {
		t.Errorf("eight starts made %d keys", len(keys))
	}
}

// The network of a client is told by a hash, for 90 days: then the key is another, and the old hashes stay.
func TestNetworkKeys(t *testing.T) {
	t.Parallel()
	a := openAccounts(t, func() *index.Client { c := indextest.Empty(t); indextest.Migrate(t, c); return c }())
	now := time.Now()
	key := func(address string, at time.Time) string {
		t.Helper()
		key, err := a.networkKey(t.Context(), netip.MustParseAddr(address), at)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	four, six := key("192.0.2.1", now), key("2001:db8:1::1", now)
	if four != key("192.0.2.254", now) || four != key("::ffff:192.0.2.7", now) || four == key("192.0.3.1", now) {
		t.Error("an IPv4 network is not its /24")
	}
	if six != key("2001:db8:1:ffff::9", now) || six == key("2001:db8:2::1", now) {
		t.Error("an IPv6 network is not its /48")
	}
	if again := key("192.0.2.1", now.Add(networkKeyLife)); again == four || again != key("192.0.2.9", now.Add(networkKeyLife)) {
		t.Error("after 90 days the key of networks is not one other")
	}
}

// holder is who has a name.
type holder struct {
	Identity lore.Identity
	Live     bool
	Err      error
}

// ensure asks for names as an import does.
func ensure(t *testing.T, a *Accounts, names ...string) []holder {
	t.Helper()
	holders := make([]holder, len(names))
	for i, name := range names {
		wanted := indextest.Clean(t, lore.Registration{Name: name, Type: lore.SourceTool, Owner: name})
		holders[i].Identity, holders[i].Live, holders[i].Err = a.EnsureSource(t.Context(), wanted, time.Now())
	}
	return holders
}

func TestEnsureSource(t *testing.T) {
	t.Parallel()
	a := openAccounts(t, sharedClient(t))
	live, err := register(t, a, "Batch Live", "x")
	if err != nil {
		t.Fatal(err)
	}
	first := ensure(t, a, "Batch New", "batch live", "Batch Half", "Bаtch Live", "Batch Other")
	principals := map[string]bool{}
	for i, name := range []string{0: "Batch New", 2: "Batch Half", 3: "Bаtch Live", 4: "Batch Other"} {
		if name == "" {
			continue
		}
		if first[i].Err != nil || first[i].Live {
			t.Fatalf("%s: %+v", name, first[i])
		}
		principals[first[i].Identity.Principal] = true
		if source, err := index.NewCollection[lore.Source](a.client, lore.Sources, "source").Get(t.Context(), first[i].Identity.SourceID); err != nil || source.Name != name || source.Type != lore.SourceTool {
			t.Errorf("%s is source %+v of %+v, %v", name, source, first[i].Identity, err)
		}
	}
	if len(principals) != 4 {
		t.Errorf("four imported sources have %d principals", len(principals))
	}
	if got := first[1]; got.Err != nil || !got.Live || got.Identity.SourceID != live.ID {
		t.Errorf("a live agent's name: %+v, want the agent", got)
	}
	again := ensure(t, a, "Batch Other", "BATCH NEW", "Bаtch Live", "Batch Half")
	if again[0] != first[4] || again[1] != first[0] || again[2] != first[3] || again[3] != first[2] {
		t.Errorf("the second time they are %+v, at first %+v", again, first)
	}
	if _, err := register(t, a, "batch new", "x"); lore.CodeOf(err) != lore.CodeNameTaken {
		t.Errorf("an agent takes the name of an imported source: %v", err)
	}
}

// Two imports that meet the same new names at the same moment agree on who is who.
func TestEnsureSourceAtOnce(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	a := openAccounts(t, client)
	names := []string{"Race A", "Race B", "Race C", "Race D"}
	answers := make([][]holder, 4)
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() { answers[i] = ensure(t, a, names...) })
	}
	group.Wait()
	indextest.Refresh(t, client, lore.Sources)
	for n, name := range names {
		settled := ensure(t, a, name)[0]
		for i := range answers {
			if got := answers[i][n]; got != settled {
				t.Errorf("%s is %+v to import %d, %+v afterwards", name, got, i, settled)
			}
		}
		if found, err := index.NewCollection[lore.Source](client, lore.Sources, "source").List(t.Context(), lore.ListQuery{Limit: 100}); err != nil || count(found.Results, name) != 1 {
			t.Errorf("%s has %d sources, %v", name, count(found.Results, name), err)
		}
	}
}
