package reference_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"agentlore/lore"
	"agentlore/reference"
	"agentlore/scrubber"
)

var (
	caip2      = regexp.MustCompile(`^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$`)
	evmAddress = regexp.MustCompile(`^0x[0-9a-fA-F]{40}$`)
	monthOrDay = regexp.MustCompile(`^20\d\d-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?$`)
)

// The catalog is whole: an agent sends money by it.
func TestTheCatalogIsWhole(t *testing.T) {
	t.Parallel()
	catalog, err := reference.ReadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	chains := map[string]reference.Chain{}
	for _, chain := range catalog.Chains {
		if !caip2.MatchString(chain.ID) || chains[chain.ID].ID != "" || chain.Name == "" || len(chain.Source) == 0 {
			t.Errorf("chain %s (%s): no id of CAIP-2, twice, or without name or source", chain.ID, chain.Name)
		}
		if chain.Ecosystem != "" && lore.NormaliseEcosystem(chain.Ecosystem) != chain.Ecosystem {
			t.Errorf("chain %s: %s is no name of lore/chains.txt", chain.ID, chain.Ecosystem)
		}
		checkState(t, chain.ID, chain.Status, chain.Ended)
		chains[chain.ID] = chain
	}
	for id, chain := range chains {
		if chain.TestnetOf != "" && chains[chain.TestnetOf].ID == "" {
			t.Errorf("chain %s tests %s, which the catalog doesn't have", id, chain.TestnetOf)
		}
	}
	contracts := map[string]string{}
	for _, token := range catalog.Tokens {
		if token.Symbol == "" || token.Name == "" || len(token.On) == 0 || len(token.Source) == 0 {
			t.Errorf("token %s (%s): something is missing", token.Symbol, token.Name)
			continue
		}
		for _, on := range token.On {
			where := on.Chain + " " + strings.ToLower(on.Address)
			if before := contracts[where]; before != "" {
				t.Errorf("%s is %s and %s", where, before, token.Symbol)
			}
			contracts[where] = token.Symbol
			switch {
			case chains[on.Chain].ID == "":
				t.Errorf("%s is on %s, which the catalog doesn't have", token.Symbol, on.Chain)
			case strings.HasPrefix(on.Chain, "eip155:") && (!evmAddress.MatchString(on.Address) || checksummed(on.Address) != on.Address):
				t.Errorf("%s on %s: %s isn't written as EIP-55 says", token.Symbol, on.Chain, on.Address)
			case on.Address == "" || on.Decimals < 0 || on.Decimals > 36:
				t.Errorf("%s on %s: %s, %d decimals", token.Symbol, on.Chain, on.Address, on.Decimals)
			}
		}
	}
	for _, protocol := range catalog.Protocols {
		if protocol.Name == "" || protocol.Type == "" || len(protocol.Source) == 0 {
			t.Errorf("protocol %s: something is missing", protocol.Name)
		}
		checkState(t, protocol.Name, protocol.Status, protocol.Since)
	}
	assets, err := catalog.Assets(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	clean := scrubber.New(scrubber.Config{})
	for _, asset := range assets {
		if ids[asset.ID] {
			t.Errorf("%s (%s) is there twice", asset.Name, asset.Reference.ID)
		}
		ids[asset.ID] = true
		scrubbed, err := scrubber.Scrub(t.Context(), clean, asset)
		if err != nil || scrubbed.Report().Changed {
			t.Errorf("%s is scrubbed: %v %+v", asset.Name, err, scrubbed.Report())
		}
	}
}

// checkState checks a status and the day from which on it holds.
func checkState(t *testing.T, name, status, since string) {
	t.Helper()
	if !slices.Contains([]string{"active", "sunset", "exploited"}, status) || since != "" && (status == "active" || !monthOrDay.MatchString(since)) {
		t.Errorf("%s: status %q since %q", name, status, since)
	}
}

// checksummed writes an EVM address as https://eips.ethereum.org/EIPS/eip-55 says.
func checksummed(address string) string {
	digits := []byte(strings.ToLower(strings.TrimPrefix(address, "0x")))
	sum := strings.TrimPrefix(keccak(string(digits)), "0x")
	for i, digit := range digits {
		if digit >= 'a' && sum[i] >= '8' {
			digits[i] = digit - 'a' + 'A'
		}
	}
	return "0x" + string(digits)
}
