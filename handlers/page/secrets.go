package page

import (
	"maps"
	"slices"
	"strings"
)

// secretNames are the scrubber's kinds in words that say what was removed.
var secretNames = map[string]string{
	"ledger_seed": "XRPL seed", "ledger_key": "XRPL key", "eth_key": "private key or hash", "jwt": "JSON web token", "service_token": "agentlore token",
	"email": "e-mail address", "bip39": "seed phrase", "pem": "PEM private key", "solana_keypair": "Solana key pair", "provider_key": "provider's API key",
	"rpc_url": "key in an RPC address", "url_password": "password in an address", "auth_header": "authorization header",
	"contextual": "value called a secret", "wif": "Bitcoin private key", "xprv": "extended private key", "nsec": "Nostr private key", "sui_key": "Sui private key",
	"age_key": "age key", "stellar_seed": "Stellar seed", "unscannable": "text that could not be scanned",
}

// secretName says a kind of secret in words.
func secretName(kind string) string {
	if name := secretNames[kind]; name != "" {
		return name
	}
	return words(kind)
}

// removed says how many secrets of which kinds were removed, the commonest first.
func removed(counts map[string]int) string {
	kinds := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	for i, kind := range kinds {
		kinds[i] = number(counts[kind]) + " × " + secretName(kind)
	}
	return strings.Join(kinds, ", ")
}
