package ask

import (
	"regexp"
	"strings"

	"agentlore/lore"
)

// signs are what tells of which ecosystem a paste is. A line of the table is the ecosystem, then its signs: tools and
// clients; what begins the names of JSON-RPC methods, as in eth_call; and scopes of packages, as in
// node_modules/@solana/web3.js. Words that people write of other things too, such as anchor, base, clarity,
// substrate or forest, are none, nor what two ecosystems have, such as Hermes.
const signs = `
evm       hardhat foundry forge-std anvil ethers ethers.js viem wagmi web3.py web3js web3.js geth
evm       go-ethereum reth erigon nethermind besu
evm       lighthouse teku nimbus prysm lodestar grandine mev-boost solc solidity vyper slither
evm       crytic-compile echidna halmos typechain
evm       rainbowkit walletconnect metamask op-node op-geth op-batcher eth_account evm
evm       erc4337 userop
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
sui       sui suiclient sui_getobject sui_executetransactionblock sui-framework suiprivkey walrus
sui       @mysten/ @mysten-incubation/ suix_ sui_
aptos     aptos aptos-core aptos_framework aptoslabs.com aptos-cli
aptos     @aptos-labs/
starknet  starknet starknet.js starknet-py starknet.py starknet-rs scarb sncast snforge starkli
starknet  cairo-lang entrypointselector
starknet  @starknet-io/ @starknet-react/ @cartridge/ starknet_
near      near.org near-api-js near-sdk near-cli near-cli-rs nearcore near-workspaces cargo-near
near      @near-js/ @near-wallet-selector/
ton       tonweb toncenter toncenter.com tonkeeper tonconnect tolk func-js tonutils-go pytoniq jetton
ton       jettons
ton       @ton/ @ton-core/ @tonconnect/ @tact-lang/
polkadot  polkadot polkadot-js polkadot-sdk subxt parachain substrate-node cargo-contract kusama
polkadot  pallet-revive pallet_revive polkadot.js resolc
polkadot  @polkadot/ @polkadot-api/ @parity/
stellar   stellar.org soroban stellar-sdk stellar-cli soroban-cli soroban-sdk stellar-core friendbot freighter
stellar   @stellar/
bitcoin   bitcoind bitcoin-cli bitcoinjs-lib lnd lncli lightningd lightning-cli electrs bolt11
bitcoin   rust-bitcoin bdk psbt sendrawtransaction segwit taproot macaroon
bitcoin   @lightninglabs/
tron      tronweb tronbox trongrid tronlink trc20
tron      @tronweb3/
cardano   cardano cardano-node cardano-cli plutus blockfrost lucid-cardano aiken
cardano   @lucid-evolution/ @meshsdk/ @emurgo/ @blockfrost/ @cardano-sdk/
tezos     taquito octez-client octez-node michelson tezos
tezos     @taquito/
hedera    hedera hashgraph hashio mirrornode
hedera    @hashgraph/ @hiero-ledger/
algorand  algosdk algokit algod tealscript pyteal
algorand  @algorandfoundation/
flow      flow-cli flow.json
flow      @onflow/
stacks    clarinet
stacks    @stacks/ @hirosystems/
avalanche avalanchego avalanche-cli avalanchejs subnet-evm
avalanche @avalabs/
filecoin  lotus-miner boost-filecoin
internet-computer dfx canister canisters candid agent-js
internet-computer @dfinity/ @icp-sdk/
multiversx mxpy sdk-dapp mx-sdk-rs
multiversx @multiversx/
aleo      snarkos aleo
aleo      @provablehq/ @aleohq/
mina      o1js zkapp zkapps
zcash     zcashd zebrad lightwalletd
monero    monerod monero-wallet-rpc
vechain   thor-devkit
vechain   @vechain/
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
	{"ton", regexp.MustCompile(`\b(?:EQ|UQ|kQ|0Q)[A-Za-z0-9_-]{46}\b`)},
	{"bitcoin", regexp.MustCompile(`\b(?:bc1|tb1|bcrt1)[02-9ac-hj-np-z]{25,62}\b|\bln(?:bc|tb|bcrt)[0-9][0-9a-z]{40,}`)},
	{"cardano", regexp.MustCompile(`\b(?:addr|addr_test|stake|stake_test)1[02-9ac-hj-np-z]{38,108}\b`)},
	{"stellar", regexp.MustCompile(`\b[GC][A-Z2-7]{55}\b`)},
	{"tron", regexp.MustCompile(`\bT[1-9A-HJ-NP-Za-km-z]{33}\b`)},
	{"near", regexp.MustCompile(`\b[a-z0-9_-]{2,60}\.(?:near|testnet)(?:[\s"',:)]|$)`)},
	{"hedera", regexp.MustCompile(`\b0\.0\.[0-9]{4,9}\b`)},
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

// version ends the name of a package: viem@2.31.3, near-sdk-5.0.0.
var version = regexp.MustCompile(`(?:@|-v?)\d[\w.+-]*$`)

// signsOf returns what may be a sign in a part of a word, between slashes: it without its version; as a scope of packages; of a host, its
// domain; what begins a method's name.
func signsOf(part string) []string {
	part = version.ReplaceAllString(part, "")
	all := []string{part, part + "/"}
	if labels := strings.Split(part, "."); len(labels) > 2 {
		all = append(all, strings.Join(labels[len(labels)-2:], "."))
	}
	if method, _, is := strings.Cut(part, "_"); is {
		all = append(all, method+"_")
	}
	return all
}

// Origin returns the ecosystem that a paste is of, as tools, packages, methods and addresses in it tell; "" where
// nothing does, or where some tell one and some another: a bridge's log has both.
func Origin(text string) string {
	found := map[string]bool{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), notInSign) {
		scoped := false // the part before is a scope: in @solana/web3.js, web3.js is not that of Ethereum
		for part := range strings.SplitSeq(word, "/") {
			if scoped {
				scoped = false
				continue
			}
			scoped = strings.HasPrefix(part, "@")
			for _, sign := range signsOf(strings.Trim(part, ".-")) {
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
// have an EVM and it is of all of these. What is of cosmos, polkadot or aptos holds for chains that have ids of their namespace.
func HoldsFor(ecosystems []string, ecosystem string) bool {
	if len(ecosystems) == 0 {
		return true
	}
	for _, of := range ecosystems {
		bothEVM := lore.HasEVM(ecosystem) && of == lore.EVM || ecosystem == lore.EVM && lore.HasEVM(of)
		if of == ecosystem || of == lore.CrossChain || bothEVM || lore.InNamespace(ecosystem, of) {
			return true
		}
	}
	return false
}
