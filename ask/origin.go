package ask

import (
	"regexp"
	"strings"

	"agentlore/lore"
)

// signs are what tells of which ecosystem a paste is. A line of the table is the ecosystem and a kind of sign, then
// the signs: words are tools and clients, methods begin the names of JSON-RPC methods, and scopes those of packages,
// as in node_modules/@solana/web3.js and viem@2.31.3. Words that people write of other things too, such as anchor,
// base, clarity or substrate, are none, nor what two ecosystems have, such as Hermes.
const signs = `
evm      words   hardhat foundry forge-std anvil ethers ethers.js viem wagmi web3.py web3js web3.js geth
evm      words   go-ethereum reth erigon nethermind besu
evm      words   lighthouse teku nimbus prysm lodestar grandine mev-boost solc solidity vyper slither
evm      words   crytic-compile echidna halmos typechain
evm      words   rainbowkit walletconnect metamask op-node op-geth op-batcher eth_account evm
evm      words   calldata erc20 erc721 erc4337 userop
evm      methods eth_ debug_ engine_ txpool_ erigon_ arbtrace_ wallet_ personal_ ots_ zks_
evm      scopes  @nomicfoundation/ @openzeppelin/ @ethersproject/ @uniswap/ @safe-global/ @rainbow-me/
evm      scopes  @reown/ @wagmi/ @metamask/
solana   words   solana solana-cli agave agave-validator solana-test-validator anchorerror anchor-lang
solana   words   anchorpy lamports metaplex yellowstone-grpc spl-token
solana   scopes  @solana/ @coral-xyz/ @project-serum/ @metaplex-foundation/ @solana-program/
cosmos   words   cosmos cosmos-sdk cosmossdk.io cosmjs cosmwasm wasmd cometbft tendermint gaiad
cosmos   words   ibc-go codespace ibc
cosmos   scopes  @cosmjs/ @keplr-wallet/ @cosmos-kit/ @osmonauts/
xrpl     words   xrpl rippled xrpld clio xrpl.js xrpl-py ripple-binary-codec engine_result
xrpl     words   engine_result_code
sui      words   sui-framework suiclient sui_getobject
sui      scopes  @mysten/ @mysten-incubation/
aptos    words   aptos aptos-core aptos_framework
aptos    scopes  @aptos-labs/
starknet words   starknet starknet.js starknet-rs scarb sncast snforge cairo-lang
starknet scopes  @starknet-io/ @cartridge/
near     words   near-api-js near-sdk near-cli nearcore
near     scopes  @near-js/ @near-wallet-selector/
ton      words   tonweb toncenter tolk func-js
ton      scopes  @ton/ @ton-core/ @tonconnect/
polkadot words   polkadot polkadot-js subxt parachain
polkadot scopes  @polkadot/ @polkadot-api/
stellar  words   soroban stellar-sdk stellar-cli soroban-cli
stellar  scopes  @stellar/
bitcoin  words   bitcoind bitcoin-cli bitcoinjs-lib lnd electrs
tron     words   tronweb tronbox trongrid
cardano  words   cardano-node cardano-cli plutus blockfrost
tezos    words   taquito octez-client
hedera   scopes  @hashgraph/ @hiero-ledger/
algorand words   algosdk algokit
stacks   words   clarinet
stacks   scopes  @stacks/
filecoin words   boost-filecoin
internet-computer words   dfx
internet-computer scopes  @dfinity/
multiversx words   mxpy
multiversx scopes  @multiversx/
`

// forms are addresses whose form tells the ecosystem, each with an example: 0x and 40 digits, cosmos1qyp…, and r…
// with 25 to 35 characters.
var forms = []struct {
	ecosystem string
	pattern   *regexp.Regexp
}{
	{"evm", regexp.MustCompile(`\b0x[0-9a-fA-F]{40}\b`)},
	{"cosmos", regexp.MustCompile(`\b(?:cosmos|osmo|juno|celestia|neutron|noble|axelar|stars|kujira|akash|persistence|dydx|terra)` +
		`(?:valoper|valcons)?1[02-9ac-hj-np-z]{38,58}\b`)},
	{"xrpl", regexp.MustCompile(`"(?:Account|Destination|issuer)" ?: ?"r[1-9A-HJ-NP-Za-km-z]{24,34}"`)},
	{"solana", regexp.MustCompile(`\bProgram [1-9A-HJ-NP-Za-km-z]{32,44} (?:invoke|failed|success|consumed)\b`)},
}

// sign is a sign in the table.
type sign struct{ kind, ecosystem string }

// signTable finds signs by what they are.
var signTable = func() map[string]sign {
	table := map[string]sign{}
	for line := range strings.Lines(signs) {
		row := strings.Fields(line)
		if len(row) == 0 {
			continue
		}
		for _, word := range row[2:] {
			table[word] = sign{row[1], row[0]}
		}
	}
	return table
}()

// Origin returns the ecosystem that a paste is of, as tools, packages, methods and addresses in it tell; "" where
// nothing does, or where some tell one and some another: a bridge's log has both.
func Origin(text string) (ecosystem string) {
	several := false
	take := func(of string) {
		several = several || ecosystem != "" && ecosystem != of
		ecosystem = of
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("@/._-", r)
	}) {
		for part := range strings.SplitSeq(word, "node_modules/") {
			part = strings.Trim(part, "./-")
			if cut := strings.LastIndexByte(part, '@'); cut > 0 { // of viem@2.31.3 the version
				part = part[:cut]
			}
			client, _, _ := strings.Cut(part, "/") // Lighthouse/v8.0.1
			for _, word := range []string{part, client} {
				if found, known := signTable[word]; known && found.kind == "words" {
					take(found.ecosystem)
				}
			}
			if at := strings.IndexByte(part, '_'); at > 0 {
				if found, known := signTable[part[:at+1]]; known && found.kind == "methods" {
					take(found.ecosystem)
				}
			}
			if strings.HasPrefix(part, "@") {
				if slash := strings.IndexByte(part, '/'); slash > 0 {
					if found, known := signTable[part[:slash+1]]; known && found.kind == "scopes" {
						take(found.ecosystem)
					}
				}
			}
		}
	}
	for _, form := range forms {
		if form.pattern.MatchString(text) {
			take(form.ecosystem)
		}
	}
	if several {
		return ""
	}
	return ecosystem
}

// HoldsFor reports whether what is of some ecosystems holds for another one: it is of that, or of no one, or both
// have an EVM and it is of all of these.
func HoldsFor(ecosystems []string, ecosystem string) bool {
	if len(ecosystems) == 0 {
		return true
	}
	for _, of := range ecosystems {
		bothEVM := lore.HasEVM(ecosystem) && of == lore.EVM || ecosystem == lore.EVM && lore.HasEVM(of)
		if of == ecosystem || of == lore.CrossChain || bothEVM {
			return true
		}
	}
	return false
}
