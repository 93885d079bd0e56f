package curator

import "strings"

// wellKnownPackages are packages on which most of Web3 is built, with their registries, and programs without one. A fix
// may name them
// whoever gives it. A name stands here only if it belongs to those who are known by it.
var wellKnownPackages = func() map[string]bool {
	known := map[string]bool{}
	for registry, names := range map[string]string{
		"npm": `npm yarn pnpm typescript ts-node tsx tslib @types/node @types/mocha @types/chai @types/react dotenv
			cross-env axios express ws buffer process util stream-browserify crypto-browserify
			node-polyfill-webpack-plugin vite-plugin-node-polyfills webpack vite rollup esbuild next react react-dom
			chai mocha jest vitest prettier eslint husky patch-package rimraf zod lodash bn.js big.js bignumber.js
			bs58 tweetnacl pino-pretty p-limit p-retry p-queue node-fetch undici viem wagmi ethers web3 web3-utils
			web3-eth abitype @wagmi/core @wagmi/connectors @tanstack/react-query @rainbow-me/rainbowkit connectkit
			@reown/appkit @reown/appkit-adapter-wagmi @walletconnect/modal @walletconnect/ethereum-provider
			@walletconnect/sign-client @web3modal/wagmi @metamask/sdk @coinbase/wallet-sdk siwe hardhat
			@nomicfoundation/hardhat-toolbox @nomicfoundation/hardhat-toolbox-viem @nomicfoundation/hardhat-ethers
			@nomicfoundation/hardhat-verify @nomicfoundation/hardhat-chai-matchers
			@nomicfoundation/hardhat-network-helpers @nomicfoundation/hardhat-ignition
			@nomicfoundation/hardhat-ignition-ethers @nomicfoundation/hardhat-foundry @nomicfoundation/hardhat-viem
			@nomiclabs/hardhat-ethers @nomiclabs/hardhat-waffle @nomiclabs/hardhat-etherscan @typechain/hardhat
			@typechain/ethers-v5 @typechain/ethers-v6 typechain hardhat-gas-reporter hardhat-deploy
			hardhat-contract-sizer solidity-coverage ethereum-waffle solhint solc @openzeppelin/contracts
			@openzeppelin/contracts-upgradeable @openzeppelin/hardhat-upgrades @openzeppelin/upgrades-core
			@chainlink/contracts @chainlink/contracts-ccip @uniswap/sdk-core @uniswap/v2-core @uniswap/v2-periphery
			@uniswap/v3-sdk @uniswap/v3-core @uniswap/v3-periphery @uniswap/v4-sdk @uniswap/universal-router-sdk
			@uniswap/smart-order-router @aave/core-v3 @aave/contract-helpers @safe-global/protocol-kit
			@safe-global/api-kit permissionless @account-abstraction/contracts @alchemy/aa-core alchemy-sdk
			@layerzerolabs/lz-evm-protocol-v2 @layerzerolabs/lz-v2-utilities @layerzerolabs/toolbox-hardhat
			@axelar-network/axelarjs-sdk @wormhole-foundation/sdk @graphprotocol/graph-cli @graphprotocol/graph-ts
			graphql graphql-request @apollo/client @ethereumjs/tx @ethereumjs/util @ethereumjs/common @ethereumjs/vm
			ethereumjs-util ethereum-cryptography @noble/curves @noble/hashes @scure/bip32 @scure/bip39 merkletreejs
			keccak256 @solana/web3.js @solana/kit @solana/spl-token @solana/wallet-adapter-react
			@solana/wallet-adapter-base @solana/wallet-adapter-wallets @coral-xyz/anchor @project-serum/anchor
			@metaplex-foundation/js @metaplex-foundation/umi @metaplex-foundation/mpl-token-metadata @solana/compat
			xrpl ripple-keypairs ripple-binary-codec @cosmjs/stargate @cosmjs/proto-signing @cosmjs/cosmwasm-stargate
			@polkadot/api near-api-js starknet @mysten/sui @aptos-labs/ts-sdk zksync-ethers @matterlabs/hardhat-zksync
			@matterlabs/hardhat-zksync-deploy @matterlabs/hardhat-zksync-solc @matterlabs/hardhat-zksync-upgradable
			@arbitrum/sdk @eth-optimism/sdk @truffle/hdwallet-provider truffle ganache multiformats ipfs-http-client
			@tenderly/hardhat-tenderly`,
		"pip": `pip setuptools wheel virtualenv web3 eth-account eth-abi eth-utils eth-keys eth-tester eth-typing
			eth-hash eth-brownie py-evm py-solc-x vyper snekmate slither-analyzer solc-select mythril crytic-compile
			eth-ape ape-foundry titanoboa python-dotenv requests aiohttp httpx websockets pytest pydantic pycryptodome
			pysha3 safe-pysha3 hexbytes rlp solana solders anchorpy xrpl-py cosmpy base58 bip-utils coincurve numpy
			pandas typing-extensions tenacity`,
		"cargo": `alloy alloy-primitives alloy-sol-types alloy-provider alloy-contract alloy-rpc-types
			alloy-signer-local alloy-transport-http alloy-consensus alloy-network ethers ethers-core ethers-providers
			ethers-signers ethers-contract revm tokio serde serde_json anyhow thiserror eyre color-eyre reqwest
			tracing tracing-subscriber hex rand borsh solana-sdk solana-client solana-program anchor-lang anchor-spl
			spl-token spl-associated-token-account spl-token-2022 mpl-token-metadata cosmwasm-std cw-storage-plus
			cw-multi-test cargo-stylus solana-cargo-build-sbf svm-rs tokio-tungstenite dotenvy k256 ruint zeroize
			proc-macro2 ahash bytemuck`,
		"go": `github.com/ethereum/go-ethereum github.com/holiman/uint256 github.com/cosmos/cosmos-sdk
			github.com/cometbft/cometbft github.com/gagliardetto/solana-go`,
		"brew": `node python rust go git make cmake openssl foundry solidity ethereum jq libusb pkg-config libpq
			python3 gmp protobuf`,
		"apt": `build-essential git curl wget jq make cmake gcc g++ clang llvm pkg-config libssl-dev libudev-dev
			libusb-1.0-0-dev python3 python3-dev python3-pip python3-venv nodejs npm chrony ntp libclang-dev
			protobuf-compiler libpq-dev libffi-dev libgmp-dev ca-certificates zlib1g-dev`,
		"": `node nodejs npm yarn pnpm python pip rust rustup cargo go golang git make gcc clang docker foundry forge
			anvil cast foundryup chisel hardhat truffle ganache solc solidity vyper slither anchor avm solana agave
			geth reth erigon besu nethermind lighthouse prysm teku nimbus lodestar mev-boost viem wagmi ethers web3
			web3.py web3.js openzeppelin metamask wsl homebrew brew xcode nvm java jdk openssl surfpool hermes chrony
			jq curl typescript react next next.js vite webpack wasm-pack protoc cosmovisor gaiad rippled clio xahau`,
	} {
		for name := range strings.FieldsSeq(names) {
			if registry != "" {
				name = registry + ":" + name
			}
			known[name] = true
		}
	}
	return known
}()

// wellKnownPlaces are where most of Web3 gets its tools and documents and reads its chains. Whoever names one names
// nobody's own.
var wellKnownPlaces = namesOf(`crates.io npmjs.com pypi.org foundry.paradigm.xyz getfoundry.sh rustup.rs
	release.anza.xyz release.solana.com docs.soliditylang.org soliditylang.org hardhat.org viem.sh wagmi.sh
	ethers.org chainlist.org etherscan.io ethereum.org openzeppelin.com alchemy.com infura.io quicknode.com
	quiknode.pro ankr.com publicnode.com llamarpc.com drpc.org 1rpc.io base.org arbitrum.io optimism.io
	polygon.technology polygon-rpc.com polygonscan.com arbiscan.io basescan.org bscscan.com bnbchain.org avax.network
	solana.com solscan.io xrpl.org rippletest.net zksync.io linea.build scroll.io gnosischain.com uniswap.org
	aave.com curve.fi lido.fi graphprotocol.com blockscout.com sourcify.dev tenderly.co flashbots.net chain.link
	layerzero.network layerzeroscan.com circle.com wormholescan.io wormhole.com thegraph.com safe.global
	gnosis-safe.io walletconnect.com reown.com metamask.io anchor-lang.com cosmos.network nodejs.org python.org
	rust-lang.org docs.rs registry.npmjs.org go.dev proxy.golang.org docker.com stackoverflow.com
	ethereum.stackexchange.com github.com/ethereum github.com/foundry-rs github.com/openzeppelin
	github.com/nomicfoundation github.com/wevm github.com/ethers-io github.com/solana-labs github.com/anza-xyz
	github.com/coral-xyz github.com/solana-foundation github.com/paradigmxyz github.com/uniswap
	github.com/transmissions11 github.com/vectorized github.com/smartcontractkit ppa.launchpad.net/ethereum`)

// ownTools are programs that packages of a project bring under another name, which npx runs.
var ownTools = namesOf(`hardhat tsc ts-node tsx prettier eslint mocha jest vitest next vite truffle ganache wagmi
	graph solhint webpack esbuild rimraf patch-package typechain oz nx turbo lerna husky npm-check-updates npm-check
	playwright wrangler`)
