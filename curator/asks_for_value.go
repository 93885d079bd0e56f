package curator

import (
	"strings"

	"agentlore/lore"
)

// Words of value and control. Verbs stand in the forms in which a fix asks or tells what helped; "sends" says what a
// program does.
var (
	approvals = setOf(`approve approving approved re-approve pre-approve authorize authorise authorizing authorising
		authorized authorised whitelist`)
	grants = setOf(`set setting increase increasing increased raise raising raised grant granting granted give giving
		gave given add adding allow allowing allowed sign signing signed make issue provide bump leave request let
		hold need needs needed confirm accept`)
	allowances = setOf(`allowance allowances approval approvals permit permits permit2 setapprovalforall permitsingle
		permitbatch eip-2612 erc-2612 authorization authorisation eip-3009 transferwithauthorization`)
	// notValue can be approved without giving anybody value.
	notValue = setOf(`transaction transactions tx request requests connection session sessions prompt popup proposal
		message hash approvehash network chain switch pull raw calldata call userop operation packet packets blob
		nonces trustset again reject button namespaces buildapprovednamespaces pairing pr it dialog event`)
	unlimited = setOf(`unlimited infinite max maximum uint256.max maxuint256 ethers.maxuint256
		ethers.constants.maxuint256 max_uint256 max_uint type(uint256).max 2**256 2**256-1 2^256-1 huge maxuint
		unbounded uint(-1) uint256(-1) maxuint160 max_int large everything highest blanket`)
	zeros = setOf("0 zero 0x0 no none nothing false revoke 0n zero-value 0-value 0x00")

	// sends pay somebody, moves may stay with the owner: they count if the fix says who gets it.
	sends = setOf(`send sending sent transfer transferring transferred pay paying paid fund funding funded donate tip
		topping top prefund prefunding wire remit airdropping`)
	moves = setOf(`deposit depositing deposited forward forwarding forwarded move moving moved sweep sweeping swept
		bridge bridging bridged withdraw withdrawing withdrew stake staking staked migrate migrating migrated route
		refund drop push consolidate empty emptying`)
	assets = setOf(`eth ether weth sol wsol usdc usdt dai wbtc btc bnb matic pol avax xrp ltc trx ton sui apt near
		atom dot ada link uni arb op lamports wei satoshis sats drops funds token tokens balance balances coins money
		assets holdings deposit fee fees stablecoins nft nfts liquidity collateral amount value dust ethers crypto
		rent bond bit little bribe`)
	// middlemen are who gets value or control, if nothing in the reader's own code does. A fix that names them has them
	// chosen.
	middlemen = setOf(`helper relayer relay relayers sponsor recovery rescue migration migrator claimer unlocker
		unlock validator verifier verification synchronizer forwarder sweeper collector support helpdesk refunder
		fixer assistant bot service coordinator maintainer maintainers team custodian escrow processor resolver
		activator activation stabilizer watcher watchdog partner moderator agent technician attacker middleman
		trustee`)
	ransoms = namesOf(`refundable activation unlock unlocking verification validation release processing reactivation
		clearance insurance`)

	controls = setOf(`grant granting granted transfer transferring transferred give giving gave hand handing handed
		set setting change changing changed make making made add adding added assign point nominate appoint upgrade
		upgrading delegate delegating`)
	controlled = setOf(`ownership owner role admin minter implementation spender delegate operator guardian signer
		feerecipient treasury beneficiary proxyadmin minter_role default_admin_role admin_role delegation authority
		upgrader pauser controller withdrawer custodian fee-trustedforwarder`)
)

// value finds approvals, payments and grants in prose. Calls are read by call. Where nothing asks for it, it counts
// only if it names who gets
// something: "the contract may transfer tokens" asks for nothing.
func (r *fixReader) value(i int) {
	w := r.words[i]
	if r.isCall(i) || r.negated(i) {
		return
	}
	asked, end := r.isAsked(i), r.sentence(i, 16)
	if w.ends == sentenceEnds {
		end = i + 1
	}
	switch {
	case w.is(approvals) && r.holds(i+1, min(end, i+7), notValue) < 0 && i+1 < end:
		if asked && (strings.Contains(w.low, "approv") || r.holdsWord(i, end, "spend")) ||
			r.recipient(i+1, end, false) != "" {
			r.approves(i, end)
		}
	case w.is(grants):
		noun := r.holds(i+1, min(end, i+9), allowances)
		isClear := asked || w.low == "let" || r.holds(i, end, unlimited) >= 0 || r.recipient(i+1, end, false) != ""
		if noun >= 0 && !r.isCall(noun) && isClear {
			r.approves(i, end)
		}
	case w.low == "revoke" && asked && r.holds(i+1, min(end, i+8), allowances) >= 0:
		r.ask(lore.ActRevokesApproval, "")
	case w.low == "setapprovalforall" && r.holdsWord(i+1, end, "true"):
		r.ask(lore.ActApprovesValue, "unlimited")
	case w.low == "transferownership" || w.low == "grantrole":
		if who := r.recipient(i+1, end, false); asked || who != "" {
			r.ask(lore.ActGivesControl, who)
		}
	}
	givesControl := w.is(controls) && r.holds(i+1, min(end, i+8), controlled) >= 0
	if givesControl {
		who := r.recipient(i+1, end, false)
		handsOver := w.low == "grant" || strings.HasPrefix(w.low, "transfer") &&
			r.holdsWord(i+1, min(end, i+5), "ownership")
		if who != "" || asked && handsOver {
			r.ask(lore.ActGivesControl, who)
		}
	}
	isNoun := r.low(i+1) == "of" || r.low(i+1) == "from"
	if w.is(sends|moves) && !isNoun && !(givesControl && r.holds(i+1, i+3, controlled) >= 0) {
		r.pays(i, asked)
	}
	r.transfers(i)
}

// approves says that an approval is asked for, or revoked.
func (r *fixReader) approves(i, end int) {
	if at := r.holds(i, end, unlimited); at >= 0 && !r.negated(at) {
		r.ask(lore.ActApprovesValue, "unlimited")
		return
	}
	for zero := i + 1; zero < min(r.clause(i, 9), end); zero++ {
		isZero := r.low(zero) == "0" || r.low(zero) == "zero" || r.low(zero) == "0x0"
		if isZero && (zero <= i+2 || beforeZero[r.low(zero-1)]) && (r.words[zero].ends > goesOn ||
			behindZero[r.low(zero+1)]) {
			r.ask(lore.ActRevokesApproval, "")
			return
		}
	}
	r.ask(lore.ActApprovesValue, r.recipient(i+1, end, false))
}

// An amount of zero stands between such words, "zero risk" does not.
var (
	beforeZero = namesOf("to of allowance amount with for approval at value")
	behindZero = namesOf(`first before and then again for on to allowance amount value approval it by wait so when
		until tokens or in if as afterwards after`)
)

// recipient returns who gets something, if the words between two places say so: an address, a stranger. Thirdhand, an
// address that stands
// elsewhere counts too: "to the address in the error".
func (r *fixReader) recipient(from, to int, thirdhand bool) string {
	for j := from; j < min(to, len(r.words)); j++ {
		if a := r.words[j].address; a != "" && !isNobodys(a) {
			return a
		}
	}
	for j := from; j < min(to, len(r.words)); j++ {
		low := r.low(j)
		switch {
		case r.isOwn(j):
		case isIn(low, middlemen) && (r.holds(j-4, j, toWhom) >= 0 || j < from+3) && !r.isClient(j+1):
			return low
		case thirdhand && (low == "address" || low == "wallet") && r.words[j].ends == goesOn && elsewhere[r.low(j+1)] &&
			r.holds(j-3, j, toWhom) >= 0 && r.low(j-1) != "an" && r.low(j-1) != "a":
			return "an address that stands elsewhere"
		}
	}
	return ""
}

// isClient reports whether a word makes another thing of the one before: a validator client is a program.
func (r *fixReader) isClient(i int) bool {
	return i > 0 && r.words[i-1].ends == goesOn && clients[r.low(i)]
}

var (
	elsewhere = namesOf("shown below printed that which returned given provided displayed listed above in from they it")
	toWhom    = setOf("to for into by via")
	clients   = namesOf(`client node nodes key keys process daemon container url program binary log logs config
		software`)
	owners = setOf("your my own our its their user's users' caller's deployer's sender's recipient's payer's")
)

// isOwn reports whether a noun is the reader's: "your own relayer".
func (r *fixReader) isOwn(i int) bool { return r.holds(i-3, i, owners) >= 0 }

// pays says that a payment is asked for.
func (r *fixReader) pays(i int, asked bool) {
	end := r.sentence(i, 18)
	asset := r.holds(i+1, min(end, i+7), assets)
	if asset >= 0 && r.holds(i+1, asset, notValue) >= 0 { // a transaction with a higher fee
		asset = -1
	}
	who := r.recipient(i+1, end, true)
	if !asked && who == "" || asset < 0 && who == "" || r.holds(i+1, min(end, i+4), zeros) >= 0 {
		return
	}
	if who == "" && r.is(i, moves) && r.holdsAny(i+1, end, ransoms) < 0 {
		return
	}
	if asset < 0 && !strings.HasPrefix(who, "0x") && len(who) < 20 { // "send the user operation to the relayer"
		return
	}
	if who == "" && r.holdsAny(i+1, min(end, i+7), ransoms) >= 0 {
		who = "whoever asks for the fee"
	}
	if who != "" && r.holds(i+1, min(end, i+6), notValue) >= 0 && asset < 0 {
		return
	}
	r.ask(lore.ActSendsValue, who)
}

// transfers reads the commands that pay: solana transfer, spl-token transfer, cast send --value.
func (r *fixReader) transfers(i int) {
	next := r.low(i + 1)
	switch w := r.words[i]; {
	case r.negated(i):
	case (w.low == "solana" || w.low == "spl-token" || w.low == "near" || w.low == "gaiad") && (next == "transfer" ||
		next == "pay" || next == "send"):
		if who := r.recipient(i+2, r.sentence(i, 10), false); who != "" {
			r.ask(lore.ActSendsValue, who)
		}
	case w.low == "cast" && next == "send" && strings.Contains(r.text[w.at:min(len(r.text), w.at+200)], "--value"):
		if who := r.recipient(i+2, r.sentence(i, 10), false); who != "" {
			r.ask(lore.ActSendsValue, who)
		}
	}
}

// isCall reports whether a bracket stands right behind a word.
func (r *fixReader) isCall(i int) bool {
	end := r.words[i].end
	return end < len(r.text) && r.text[end] == '('
}

// Functions that give value or control.
var (
	approveCalls = setOf(`approve safeapprove forceapprove increaseallowance safeincreaseallowance setapprovalforall
		permit approvemax lockdown`)
	payCalls = setOf(`transfer safetransfer sendtransaction transferfrom safetransferfrom send deposit withdraw
		withdrawto depositfor sweep execute call mint`)
	controlCalls = setOf(`transferownership grantrole setowner upgradeto upgradetoandcall upgradeandcall
		addownerwiththreshold setimplementation changeadmin setspender setdelegate addminter setoperator setminter
		changeproxyadmin enablemodule setadmin setapprovedoperator setfeerecipient setguardian setauthority`)
)

// call reads a call in code: approve(spender, 0), setApprovalForAll(operator, true).
func (r *fixReader) call(i int) {
	if !r.isCall(i) || r.negated(i) {
		return
	}
	low := r.words[i].low
	name := low[strings.LastIndexByte(low, '.')+1:]
	if !isIn(name, approveCalls) && !isIn(name, payCalls) && !isIn(name, controlCalls) {
		return
	}
	arguments := r.arguments(r.words[i].end)
	address := ""
	for _, argument := range arguments {
		if found := addressIn(argument); found != "" {
			address = found
			break
		}
	}
	if address == "" {
		for j := i + 1; j < len(r.words) && r.words[j].at < r.words[i].end+len(strings.Join(arguments, ","))+2; j++ {
			if r.words[j].address != "" {
				address = r.words[j].address
			}
		}
	}
	last := ""
	if len(arguments) > 0 {
		last = strings.ToLower(arguments[len(arguments)-1])
	}
	switch {
	case isIn(name, approveCalls):
		switch {
		case name == "lockdown", last == "0" || last == "false" || last == "0n" || last == "0x0":
			r.ask(lore.ActRevokesApproval, "")
		case len(arguments) == 0 || strings.HasPrefix(last, "uint") ||
			strings.HasPrefix(last, "bool"): // a signature, or a mention
		case address != "":
			r.ask(lore.ActApprovesValue, address)
		case name == "setapprovalforall" || isUnlimited(strings.ToLower(strings.Join(arguments, ","))):
			r.ask(lore.ActApprovesValue, "unlimited")
		default:
			r.ask(lore.ActApprovesValue, "")
		}
	case isIn(name, payCalls) && address != "" && last != "0":
		r.ask(lore.ActSendsValue, address)
	case isIn(name, controlCalls) && (address != "" || name == "grantrole" || name == "transferownership"):
		r.ask(lore.ActGivesControl, address)
	}
}

func isUnlimited(arguments string) bool {
	for _, sign := range [...]string{"max", "2**256", "2^256", "(-1)", "ffffffff", "unlimited", "infinite"} {
		if strings.Contains(arguments, sign) {
			return true
		}
	}
	return false
}

// arguments returns what stands in the brackets that begin at a place, parted at commas.
func (r *fixReader) arguments(open int) []string {
	const most = 400
	depth, from := 0, open+1
	var found []string
	for at := open; at < min(len(r.text), open+most); at++ {
		switch r.text[at] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 1 {
				found = append(found, strings.TrimSpace(r.text[from:at]))
				from = at + 1
			}
		}
		if depth == 0 {
			if last := strings.TrimSpace(r.text[from:at]); last != "" {
				found = append(found, last)
			}
			return found
		}
	}
	return found
}
