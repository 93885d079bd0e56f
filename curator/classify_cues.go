package curator

import "strings"

// cueLists are words that speak for a kind of report by the definitions in lore.Categories, whatever project it comes from.
// They are written by hand; what each is worth is learned, but for linking and recurring (see categorySplits).
var cueLists = []struct {
	name  string
	words map[string]bool
}{
	{"repair", cueWords(`break breaks broke broken bug bugfix bugs correct correctly corrupt corrupted corruption crash
crashed crashes dead deadlock duplicate duplicated ensure error errored errors exception exceptions
fail failed failing fails failure failures fix fixed fixes fixing flaky gracefully handle handled
handles handling hang hangs honor hotfix hung incorrect incorrectly instead invalid leak leaking
mismatch missing mistake nil null outdated panic panics prevent prevents proper properly race
regression repair resolve resolved respect restore returned returns stale stuck timeout timeouts typo
undefined unexpected unexpectedly workaround wrong wrongly`)}, // something broke, and what mends it
	{"refused", cueWords(`abort aborted assertion denied refused rejected revert reverted reverting reverts throw thrown throws
unavailable unreachable`)}, // a call was refused
	{"novel", cueWords(`add added adding addition adds allow allowing allows available capability create creates emit enable
enabled enables endpoint expose exposed exposes extend extends feat feature features flag
functionality implement implementation implemented implementing implements initial introduce
introduced introduces launch launched launches method methods metrics new now option optional provide
provides support supported supporting supports track`)}, // something that was not there before
	{"faster", cueWords(`alloc allocate allocation allocations assembly batch batched benchmark bytes cache cached caching
calldata cheap cheaper clone cloned clones cloning constant constants copies copy copying cost costs
cpu efficiency efficient efficiently external fast faster fewer gas hot immutable increment
inefficient inline latency lazily lazy less loop loops memoize memory mload opcode opcodes
optimisation optimise optimization optimizations optimize optimized optimizing overhead pack packed
packing parallel parallelize payable perf performance prealloc precompute prefetch reduce reduces
reducing redundant redundantly reuse save saves saving savings shrink simplify sload smaller speed
speedup sstore storage ternary throughput unchecked unnecessarily unnecessary unused waste wastes`)}, // the same for less
	{"attack", cueWords(`abuse abused anyone arbitrarily arbitrary attack attacker attackers attacks bypass bypassed bypasses
censorship dos drain drained drains exploit exploitable exploited exploits forged frontrun
frontrunner frontrunning funds grief griefing hack hacker impact inflate inflated inflation
insolvency insolvent locked lose loses losing loss lost malicious maliciously manipulate manipulated
manipulation manual overflow permanently phishing poc reentrancy reentrant replay sandwich severity
spoof steal stealing steals stolen sybil theft tool unauthorized underflow unfair unfairly
unprotected user users victim vuln vulnerabilities vulnerability vulnerable`)}, // who gains, who loses, how
	{"market", cueWords(`aave aip allocation apr apy asset assets basis bonus borrow borrowing bp bps budget cap caps
collateral collateralization currency current decrease demand depeg deposits emission emissions
exposure factor fee fees funding futures grant incentive incentives increase interest isolation
leverage liquidation liquidity list listing lower ltv market markets onboard onboarding parameter
parameters peg perps price prices pricing proposal proposed proposes raise reserve reserves revenue
reward rewards risk skew slippage slope spread stablecoin stablecoins supplied supply threshold trade
trader traders trading treasury tvl utilization volume yield`)}, // prices, risk parameters, treasuries
	{"operate", cueWords(`apt backup binaries binary build builds ci cli command commands compose config configuration
configure configured cpu cron dashboard database default deploy deployed deploying deployment
directory disk docker docs download ensure env environment file files firewall flags folder github
grafana guide hardware helm image images install installation installed job jobs keys keystore
kubernetes log logging logs machine mainnet maintenance migrate migrating migration monitor
monitoring must node nodes operating operator operators pipeline port ports prometheus prune ram
release releases restart restarts rpc run runner runners running server servers service set setup
should ssh step steps sudo sync synced syncing systemd tag tags terminal testnet tutorial upgrade
upgrades upgrading validator validators workflow workflows`)}, // running machines and deployments
	{"connect", cueWords(`adapter another api apis between both bridge bridged bridges bridging chain chains channel channels
client compatibility compatible connect connected connecting connects counterparty cross crosschain
deposit deposits domain domains endpoint external finalize finalized hook hooks ibc integrate
integrates integrating integration integrations interact interaction interactions interacts interface
interop interoperability interoperable library message messages messaging messenger oracle oracles
packet packets party protocols receive receives relay relayer relayers sdk send sending sends sent
standard third wallet wallets webhook withdrawal withdrawals`)}, // two systems that talk
	{"reflect", cueWords(`actually admin analysis appears approach architectural architecture assumption assumptions audit
audited auditing auditors believe centralisation centralization centralized codebase commendable
complex complexity comprehensive concern concerns considerations crucial decentralization
decentralized dependence depends design documentation evaluated governance however implies important
insight insights interesting learned means mechanism modular modularity notice noticed observe
observed overall point potential privileged quality reason recommend recommendations recommended
reliance relied relies rely reveals review reviewing risks seem seems single strength surprisingly
systemic team therefore think thus trust trusted understand understanding weakness well`)}, // judgement on a design
	{"build", cueWords(`actions artifact artifacts bench bot bump changelog ci dependabot docker dockerfile github job jobs
nightly pr publish release runner runners slack workflow workflows`)}, // build and release machinery
	{"change", cueWords(`changelog chore clippy comments docs feat fix fmt godoc imp lint linter merge nit prettier rebase
refactor review suggestions test tests typo wip`)}, // notes of a change to code
	{"audit", cueWords(`concept description exploit impact likelihood lines mitigation poc proof recommendation severity
snippet vulnerability`)}, // headings of an auditor's report
}

// linking are words of two systems that talk to each other: among how-to reports they tell integration from operational.
var linking = cueWords(`bridge bridged bridges bridging channel channels connect connected connects counterparty cross
crosschain domain domains integrate integrates integrating integration integrations interop
interoperability interoperable messaging messenger portal predeploy relayer relayers`)

// recurring are words of something that was seen more than once: no labelled report is a pattern, so only they speak for it.
var recurring = cueWords(`again consistently daily intermittently periodically recurred recurring recurs repeatedly sessions weekly`)

func cueWords(list string) map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(list) {
		words[word] = true
	}
	return words
}
