package ask

import (
	"regexp"
	"strings"

	"agentlore/lore"
)

// signs are what tells of which ecosystem a paste is. A line of the table is the ecosystem, then its signs: tools and
// clients; what begins the names of JSON-RPC methods, as in eth_call; and scopes of packages, as in
// node_modules/@solana/web3.js. Words that people write of other things too, such as anchor, base, clarity or
// substrate, are none, nor what two ecosystems have, such as Hermes.
const signs = `
evm       hardhat foundry forge-std anvil ethers ethers.js viem wagmi web3.py web3js web3.js geth
evm       go-ethereum reth erigon nethermind besu
evm       lighthouse teku nimbus prysm lodestar grandine mev-boost solc solidity vyper slither
evm       crytic-compile echidna halmos typechain
evm       rainbowkit walletconnect metamask op-node op-geth op-batcher eth_account evm
evm       calldata erc20 erc721 erc4337 userop
evm       eth_ debug_ engine_ txpool_ erigon_ arbtrace_ wallet_ personal_ ots_ zks_
evm       @nomicfoundation/ @openzeppelin/ @ethersproject/ @uniswap/ @safe-global/ @rainbow-me/
evm       @reown/ @wagmi/ @metamask/
solana    solana solana-cli agave agave-validator solana-test-validator anchorerror anchor-lang
solana    anchorpy lamports metaplex yellowstone-grpc spl-token
solana    @solana/ @coral-xyz/ @project-serum/ @metaplex-foundation/ @solana-program/
cosmos    cosmos cosmos-sdk cosmossdk.io cosmjs cosmwasm wasmd cometbft tendermint gaiad
cosmos    ibc-go codespace ibc
cosmos    @cosmjs/ @keplr-wallet/ @cosmos-kit/ @osmonauts/
xrpl      xrpl rippled xrpld clio xrpl.js xrpl-py ripple-binary-codec engine_result
xrpl      engine_result_code
sui       sui-framework suiclient sui_getobject
sui       @mysten/ @mysten-incubation/
aptos     aptos aptos-core aptos_framework
aptos     @aptos-labs/
starknet  starknet starknet.js starknet-rs scarb sncast snforge cairo-lang
starknet  @starknet-io/ @cartridge/
near      near-api-js near-sdk near-cli nearcore
near      @near-js/ @near-wallet-selector/
ton       tonweb toncenter tolk func-js
ton       @ton/ @ton-core/ @tonconnect/
polkadot  polkadot polkadot-js subxt parachain
polkadot  @polkadot/ @polkadot-api/
stellar   soroban stellar-sdk stellar-cli soroban-cli
stellar   @stellar/
bitcoin   bitcoind bitcoin-cli bitcoinjs-lib lnd electrs
tron      tronweb tronbox trongrid
cardano   cardano-node cardano-cli plutus blockfrost
tezos     taquito octez-client
hedera    @hashgraph/ @hiero-ledger/
algorand  algosdk algokit
stacks    clarinet
stacks    @stacks/
filecoin  boost-filecoin
internet-computer dfx
internet-computer @dfinity/
multiversx mxpy
multiversx @multiversx/
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

// ecosystemOf returns the ecosystem that a sign tells.
var ecosystemOf = func() map[string]string {
	table := map[string]string{}
	for line := range strings.Lines(signs) {
		row := strings.Fields(line)
		for _, sign := range row[min(1, len(row)):] {
			table[sign] = row[0]
		}
	}
	return table
}()

// notInSign reports whether a character separates the words in which signs are looked for.
func notInSign(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("@/._-", r)
}

// foreigners are what programs print that have nothing to do with Web3, each with the program.
var foreigners = []struct {
	program string
	prints  *regexp.Regexp
}{
	{"Docker", regexp.MustCompile(`(?i)docker daemon|docker: error|docker-compose|docker\.sock|failed to solve: |dockerfile:\d`)},
	{"Kubernetes", regexp.MustCompile(`(?i)\bkubectl\b|crashloopbackoff|imagepullbackoff|\bhelm (?:install|upgrade)\b`)},
	{"PostgreSQL", regexp.MustCompile(`(?i)\bpsycopg2?\b|\bpostgres(?:ql)?\b|\bpg_[a-z]+|violates (?:unique|foreign key) constraint|\bSQLSTATE\b|:5432\b`)},
	{"MySQL", regexp.MustCompile(`(?i)\bmysql\b|\bmariadb\b|\bER_[A-Z_]{4,}|:3306\b`)},
	{"MongoDB", regexp.MustCompile(`(?i)\bmongo(?:db|ose|servererror)?\b|:27017\b`)},
	{"Redis", regexp.MustCompile(`\bWRONGTYPE Operation\b|\bNOAUTH Authentication\b|\bMISCONF Redis\b|\bredis-cli\b|:6379\b`)},
	{"nginx", regexp.MustCompile(`\bnginx: \[|\bnginx/\d|recv\(\) failed .* upstream`)},
	{"git", regexp.MustCompile(`fatal: not a git repository|CONFLICT \(content\)|fatal: refusing to merge|non-fast-forward`)},
	{"npm", regexp.MustCompile(`\bnpm (?:ERR!|error) `)},
	{"pip", regexp.MustCompile(`(?i)could not build wheels|no matching distribution found`)},
	{"Terraform", regexp.MustCompile(`(?i)\bterraform (?:apply|plan|init)\b`)},
	{"Kafka", regexp.MustCompile(`(?i)\bkafka\b`)},
	{"Next.js", regexp.MustCompile(`(?i)\bturbopack\b|next\.js \d+|next-dev|\bnext build\b`)},
	{"webpack", regexp.MustCompile(`webpack \d|ModuleParseError`)},
}

// web3 are words that a text of Web3 has, whatever else it is of.
var web3 = regexp.MustCompile(`(?i)wallet|blockchain|\bchain|contract|\btx\b|transaction hash|token|\brpc\b|ledger|validator|gas|nonce|mint|` +
	`staking|mainnet|testnet|web3|crypto|signer|0x[0-9a-f]{8}|subgraph|ponder|indexer|x402|\bmcp\b`)

// foreign returns the program, of no concern to Web3, that printed a text; "" where none did, or something in the text is of Web3.
func foreign(text string) string {
	if web3.MatchString(text) || Origin(text) != "" {
		return ""
	}
	for _, f := range foreigners {
		if f.prints.MatchString(text) {
			return f.program
		}
	}
	return ""
}

// Origin returns the ecosystem that a paste is of, as tools, packages, methods and addresses in it tell; "" where
// nothing does, or where some tell one and some another: a bridge's log has both.
func Origin(text string) string {
	found := map[string]bool{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), notInSign) {
		for part := range strings.SplitSeq(word, "node_modules/") {
			part = strings.Trim(part, "./-")
			if cut := strings.LastIndexByte(part, '@'); cut > 0 { // of viem@2.31.3 the version
				part = part[:cut]
			}
			client, _, _ := strings.Cut(part, "/") // Lighthouse/v8.0.1
			method, _, _ := strings.Cut(part, "_")
			for _, sign := range []string{part, client, client + "/", method + "_"} {
				if ecosystem, known := ecosystemOf[sign]; known {
					found[ecosystem] = true
				}
			}
		}
	}
	for _, form := range forms {
		if form.pattern.MatchString(text) {
			found[form.ecosystem] = true
		}
	}
	if len(found) != 1 {
		return ""
	}
	for ecosystem := range found {
		return ecosystem
	}
	return ""
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
