package curator

import "agentlore/lore"

// categoryWords are the words that speak for a category by its definition in lore.Categories, whatever project a report comes from. A word
// stands for its other forms too (terms.Stem), and may speak for two categories.
var categoryWords = []struct {
	category lore.Category
	// strong words hardly speak of anything else; they count as three of the others.
	strong, weak string
}{
	{lore.CategoryFailure, // something broke, and what mends it
		`broken bug bugfix bugs correct crash deadlock died error exception fail failure fix fixed fixes fixing flaky handle hang hotfix
incorrect panic race refused regression rejects resolve stuck timeout wrong`,
		`abort answers behind broke cannot collide correctly corrupt corruption dead denied didn dies doesn duplicate empty erroneous
exceeds expired high hung inconsistent incorrectly invalid leak lost low malformed mismatch missing mistake outage outdated
parse patch prevent proper properly repair respect restore returns revert stale stopped unavailable undefined underpriced
unexpected unexpectedly unknown unsupported violated violation workaround wrongly`},
	{lore.CategoryInsight, // judgement on a design
		`analysis architectural architecture assumption centralisation centralization centralized codebase complexity decentralization
design insight mechanism overall quality recommend strengths systemic trust weaknesses`,
		`appears approach audited auditor commendable complex comprehensive concern considerations crucial decentralized dependence
depends documented evaluated evaluation flexibility implications importance important interesting learned lessons modular
modularity noticed observation observed perspective potential privileged reliance reliant relies rely review robust think
thorough thus understand weakness`},
	{lore.CategoryDiscovery, // something that was not there before
		`add added adding adds allow bip eip enable feat feature implement implementation introduce new propose simd sip support`,
		`addition available capability create creation deprecate deprecation emit expose extend extension functionality initial launched
method metric now option optional param provide specification specify tracking`},
	{lore.CategoryOptimization, // the same for less
		`allocations allocs cache calldata cheaper clone efficiency efficient efficiently expensive faster immutable inefficient
optimisation optimise optimization optimize overhead perf prealloc preallocate redundant reuse save saved saving sload speed
speedup sstore unchecked unnecessarily unnecessary unused`,
		`allocate assembly avoid batch benchmark cheap constant copies copy costly costs deduplicate fast fewer gas inline iteration
lazily lazy less loop memoize optimizer pack parallel parallelize payable performance precompute prefetch reduce refactor
repeated shorter simplify slow smaller storage throughput waste`},
	{lore.CategoryPattern, // something seen more than once
		`again consistently intermittently periodically recur recurred repeatedly sessions weekly whenever`,
		`always daily each every frequently often several sometimes times usually`},
	{lore.CategorySecurity, // an attacker, a victim and a way to harm; and the headings of audit reports
		`adversary anyone attack attacker bypass caller concept detail drain exploit exploitable frontrun funds griefing hack hacker impact
insolvency insolvent lose loss malicious maliciously manipulate manipulation mitigation overflow permanently phishing poc proof
reentrancy replay sandwich severity snippet steal stolen theft unauthenticated unauthorized underflow unprotected victim vulnerabilities
vulnerability vulnerable`,
		`abuse access admin amount arbitrarily arbitrary balance bypassed calls censorship compromised contract dangerous deposit description
dos forge frontrunning function impersonate incorrect incorrectly inflate likelihood lock losing lost manual medium modifier msg owner
recommendation sender shares sol solidity spoof stuck sybil unfair unfairly user withdraw wrong`},
	{lore.CategoryIntegration, // two systems that talk
		`bridge communicate connect counterparty cross crosschain ibc integrate integration interchain interface interop interoperability
interoperable messenger relayer sdk`,
		`abi adapter api apis callback channel client communication compatibility compatible connection datagram domain eip encoding
endpoint envelope erc handshake interact interaction layer link messaging middleware oracle packet passing protocols provider receive
relay send sent standard third transport wallet webhook`},
	{lore.CategoryOperational, // running machines and deployments
		`binary command config configuration configure directory docker download flags guide install installation logs monitoring
operator restart run running settings setup step sudo systemd`,
		`backup binaries build ci cli compose cron curl dashboard database deploy deployment disk docs endpoint environment firewall
folder github grafana hardware helm host instructions keys kubernetes logging machine mainnet maintenance migration network node
operating options pipeline port prerequisites production prometheus prune rpc runner script section server service ssh start
sync terminal testnet troubleshooting tutorial upgrading validator workflow you your`},
	{lore.CategoryMarket, // prices, risk parameters, treasuries
		`apr apy borrow bps cap caps decrease demand depeg emission funding incentive increase liquidity listing lower ltv market onboard
optimal parameter peg proposal raise rate reserve stablecoin trading treasury utilization volume`,
		`asset basis bonus borrowable budget buyback ceiling collateral collateralization currency debt exposure factor fee fees futures
governance grant holders inflation interest isolation leverage liquidation perps pool price quarter revenue reward skew slippage
spread stakers supply swap threshold token trader tvl vault volatility yield`},
	{lore.CategoryGeneral, // housekeeping
		`bump changelog chore dependabot lint readme renovate typo`,
		`cleanup comment dependencies dependency deps docs format license merge release rename version`},
}
