package curator

import (
	"strings"

	"agentlore/lore"
)

// Words of keys and seeds.
var (
	// secretPairs are two words that name a secret, by the second one.
	secretPairs = map[string]map[string]bool{
		"key":    namesOf("private secret signing wallet deployer master validator recovery spending account signer"),
		"keys":   namesOf("private secret signing wallet deployer master validator recovery spending account signer"),
		"phrase": namesOf("seed recovery secret mnemonic backup word 12-word 24-word pass"),
		"words":  namesOf("seed recovery secret 12 24 twelve mnemonic backup"),
		"file":   namesOf("keystore keypair wallet"),
		"seed":   namesOf("wallet your the account secret my"),
	}
	secretWords = setOf(`mnemonic mnemonics keystore keystores .env id.json id_rsa keypair keypairs privkey
		private_key secretkey secret_key privatekey deployer_key keyfile 12-word 24-word seedphrase passphrase
		wallet.json credentials`)
	// showing verbs give a secret away by themselves, moving ones do if it goes to somebody else's.
	showing = setOf(`write writing wrote enter entering entered re-enter re-entering reenter paste pasting pasted
		type typing typed share sharing shared send sending sent upload uploading uploaded reveal revealing submit
		submitting submitted provide providing provided give giving gave dm post posting posted echo tell forward
		forwarding forwarded disclose cat attach confirm confirming hand read input inputting drop fill filling
		commit committing committed base64 curl confirmed`)
	printing = setOf(`print printing printed log logging logged dump dumping dumped display displaying show showing
		screenshot console.log console.error console.debug println`)
	// aspects are what of a secret can be looked at.
	aspects = namesOf("length whether boolean bool prefix format host count if address public name variable path type")
	certain = setOf(`enter entering entered re-enter re-entering reenter paste pasting pasted upload uploading
		uploaded reveal share sharing shared disclose echo cat commit committing committed`)
	// giving verbs have no honest place for a key, signing ones may use it: "send it with the deployer key".
	giving = namesOf(`share sharing shared send sending sent upload uploading uploaded reveal revealing submit
		submitting submitted dm tell forward forwarding forwarded disclose hand`)
	signing = namesOf("send sending sent submit submitting submitted post posting posted")
	helpers = namesOf("provider vendor company developer developers maintainers support")
	byMeans = namesOf("with from using by via through")
	moving  = setOf(`export exporting exported import importing imported restore restoring restored connect
		connecting connected copy copying copied load loading recover recovering recovered put add pass expose
		exposing supply supplying supplied scan verify verifying validate validating feed`)
	ownPlaces = setOf(`.env env environment variable variables hardhat.config.js hardhat.config.ts hardhat.config
		config keyring vault kms ledger hardware secrets interactive --interactive --account --private-key --recover
		foundry cast process.env dotenv github ci workflow accounts constructor wallet() privatekeytoaccount file
		keystores keytool offline locally stdin hsm web3signer`)
	foreignPlaces = setOf(`registry team site page form validator converter bot support field dialog portal online
		url chat popup prompt box service website app dapp tool tools recover restorer checker verifier operator
		ticket telegram discord email gist pastebin us window screen website's modal wizard extension widget issue
		console stdout debugger bridge`)
	restoring   = setOf("import importing imported restore restoring restored recover recovering recovered")
	files       = namesOf("keypair keypairs keystore keystores file")
	again       = namesOf("key keys seed phrase words result output string")
	senders     = namesOf("nc netcat scp rsync ftp curl ssh")
	piped       = namesOf("| tar cat zip gzip")
	walletNouns = setOf("wallet wallets keystore keypair mnemonic")
	whereabouts = setOf("at on with through via to using in from of that")
	walletSyncs = setOf(`verify sync syncing synced synchronize synchronise synchronizing rectify rectifying validate
		validating authenticate authenticating revalidate resync re-sync re-validate reconnect`)
)

// foreignSecrets are keys and seeds in languages whose verbs the rules don't know. Who names one outside of a file of
// his own is taken to
// ask for it.
var foreignSecrets = []string{
	"助记词", "私钥", "種子短語", "种子短语", "助記詞", "私鑰", "秘密鍵", "シードフレーズ", "개인키", "시드 구문", "니모닉", "clave privada",
	"frase semilla", "frase de recuperación", "chave privada", "frase-semente", "clé privée",
	"phrase secrète", "phrase de récupération", "privaten schlüssel", "wiederherstellungsphrase",
	"приватный ключ", "закрытый ключ", "сид-фраз", "сид фраз", "мнемоник", "özel anahtar", "khóa riêng",
	"kunci privat", "chiave privata", "frase di recupero", "klucz prywatny",
}

// foreignSecret finds them.
func (r *fixReader) foreignSecret() {
	low := strings.ToLower(r.text)
	for _, secret := range foreignSecrets {
		if at := strings.Index(low, secret); at >= 0 && !strings.Contains(low, ".env") &&
			!strings.Contains(low, "private_key") {
			r.ask(lore.ActShowsSecret, "")
			return
		}
	}
}

// secret finds keys and seeds that are to be shown.
func (r *fixReader) secret(i int) {
	w := r.words[i]
	if w.is(walletSyncs) && r.isAsked(i) && r.holds(i+1, i+4, walletNouns) >= 0 && r.words[i].ends == goesOn &&
		r.holds(i+2, r.sentence(i, 9), whereabouts) >= 0 && (!strings.HasPrefix(w.low, "verif") ||
		r.holds(i+2, r.sentence(i, 9), foreignPlaces) >= 0) {
		r.ask(lore.ActShowsSecret, "")
		return
	}
	if !r.isSecret(i) {
		return
	}
	from, end := r.sentenceStart(i, 12), r.sentence(i, 14)
	if w.ends >= sentenceEnds {
		end = i + 1
	}
	foreign := r.holds(from, i, foreignPlaces) >= 0 || r.holds(i+2, end, foreignPlaces) >= 0 ||
		r.hostBetween(from, end) != ""
	own := (r.holds(from, i, ownPlaces) >= 0 || r.holds(i+1, end, ownPlaces) >= 0) && !foreign
	if r.holdsAny(i-8, i+9, senders) >= 0 && (r.holdsAny(i-8, i, piped) >= 0 || r.holdsAny(i+1, i+9, piped) >= 0) {
		r.ask(lore.ActShowsSecret, "")
		return
	}
	for j := i - 1; j >= from && j >= i-9; j-- {
		verb := r.words[j]
		switch {
		case !verb.is(showing | moving | printing), r.negated(j), r.holdsAny(j+1, i, aspects) >= 0,
			strings.HasSuffix(w.low, ".env") && (r.holds(j+1, i, whereabouts) >= 0 || r.holdsWord(j+1, i, "into")):
		case verb.is(printing) && (j >= i-6 && (r.isAsked(j) || strings.Contains(verb.low, "console"))) &&
			!r.holdsWord(i, end, ".env"),
			verb.is(showing) && (verb.is(certain) || r.isAsked(j)) && (!own || giving[verb.low]) &&
				!(files[w.low] && !verb.is(certain) && !foreign && r.holdsAny(i+1, end, helpers) < 0) &&
				!(signing[verb.low] && r.holdsAny(j+1, i, byMeans) >= 0),
			verb.is(moving) && r.isAsked(j) && (foreign || verb.is(restoring) && !own && !files[w.low] ||
				strings.HasPrefix(verb.low, "export") && r.holds(j, i, owners) >= 0 && !own):
			r.ask(lore.ActShowsSecret, "")
			return
		}
	}
	// Take the key from the wallet and paste it into the form.
	for j := i + 1; j < min(len(r.words), i+22); j++ {
		if !r.is(j, showing) || r.negated(j) || r.holds(j+1, j+3, pronouns) < 0 && r.holdsAny(j+2, j+4, again) < 0 {
			continue
		}
		place := r.sentence(j, 10)
		foreign := r.holds(j, place, foreignPlaces) >= 0 || r.hostBetween(j, place) != ""
		if foreign || r.is(j, certain) && r.holds(j, place, ownPlaces) < 0 {
			r.ask(lore.ActShowsSecret, "")
			return
		}
	}
}

// isSecret reports whether a word, or two that end with it, name a key or seed.
func (r *fixReader) isSecret(i int) bool {
	low := r.words[i].low
	if before := secretPairs[low]; before != nil {
		return before[r.low(i-1)] || before[r.low(i-2)] && r.words[i-1].low == "recovery"
	}
	if low == "seed" {
		return r.low(i+1) != "phrase" && r.low(i+1) != "words" && r.is(i-1, owners)
	}
	return isIn(low, secretWords) || strings.Contains(r.words[i].text, "MNEMONIC") ||
		strings.Contains(low, "private_key") || strings.HasSuffix(low, ".privatekey") ||
		strings.Contains(low, "mnemonic") && strings.Contains(low, "env") ||
		strings.HasSuffix(low, "/id.json") || strings.HasSuffix(low, ".env") || strings.Contains(low, ".ssh/") ||
		strings.Contains(low, "/keystore")
}

// deletesKeys is what a fix deletes that nobody can make again.
const deletesKeys = "keys or a home folder"

// Words of data, and of checks.
var (
	deletes = setOf(`delete deleting deleted wipe wiping wiped purge purging purged erase erasing erased remove
		removing removed clear clearing cleared drop nuke`)
	folders = setOf(`database databases datadir chaindata cache caches folder folders directory node_modules
		artifacts lockfile package-lock.json yarn.lock pnpm-lock.yaml db volume volumes addrbook.json .next
		wallet.dat`)
	checksOff = setOf(`disable disabling disabled skip skipping skipped bypass bypassing bypassed deactivate ignore
		ignoring ignored suppress`)
	checks = setOf(`check checks verification validation simulation tls ssl certificate certificates signature guard
		safety protection checksum checksums lint audit firewall antivirus confirmation confirmations warnings
		warning sandbox slippage authentication auth`)
	checkFlags = setOf(`--no-verify --insecure --skip-simulation --skip-verify --unsafe --allow-insecure-unlock
		--no-check-certificate --trusted-host node_tls_reject_unauthorized=0 gosumdb=off goflags=-insecure
		verify=false --legacy-peer-deps --no-strict-ssl --disable-checks --skip-lint --no-sandbox
		--dangerously-skip-permissions strict-ssl=false --ignore-warnings --break-system-packages --no-check
		--nosignatures`)
)

// data finds what is deleted, and checks that are switched off.
func (r *fixReader) data(i int) {
	w := r.words[i]
	switch {
	case w.low == "rm" && strings.HasPrefix(r.low(i+1), "-") && !r.negated(i):
		for j := i + 1; j < len(r.words) && j < i+8 && r.words[j].code == w.code && r.low(j) != "|" &&
			!r.is(j, proseStops); j++ {
			if !strings.HasPrefix(r.words[j].text, "-") {
				r.deletes(j)
			}
			if r.words[j].ends > goesOn {
				return
			}
		}
	case w.is(deletes) && r.isAsked(i) && !r.isCall(i):
		if at := r.holds(i+1, min(r.clause(i, 8), i+7), folders); at >= 0 {
			r.deletes(at)
		} else if at := r.holds(i+1, r.clause(i, 4), walletNouns); at >= 0 && r.holds(i+1, at, whereabouts) < 0 &&
			!strings.HasPrefix(w.low, "remove") && w.low != "drop" {
			r.ask(lore.ActDeletesData, deletesKeys)
		}
	case w.is(checksOff) && r.isAsked(i) && !r.isCall(i):
		if at := r.holds(i+1, r.clause(i, 6), checks); at >= 0 {
			r.ask(lore.ActSwitchesCheckOff, r.words[at].low)
		}
	case (w.low == "turn" || w.low == "switch" || w.low == "turned") && r.isAsked(i) && (r.low(i+1) == "off" ||
		r.low(i+2) == "off" || r.low(i+3) == "off"):
		if at := r.holds(i+1, r.clause(i, 7), checks); at >= 0 {
			r.ask(lore.ActSwitchesCheckOff, r.words[at].low)
		}
	case w.is(checkFlags) && !r.negated(i):
		r.ask(lore.ActSwitchesCheckOff, w.low)
	}
}

// deletes says that what a word names is deleted.
func (r *fixReader) deletes(i int) {
	text := r.words[i].text
	if at := r.words[i].at; at > 0 && r.text[at-1] == '~' {
		text = "~" + text
	}
	low := strings.ToLower(text)
	if low == "/" || low == "~" || low == "$home" || low == "~/" || low == "~/*" || low == "/*" ||
		strings.Contains(low, "keystore") || strings.Contains(low, ".ssh") ||
		strings.Contains(low, "config/solana") || strings.Contains(low, "wallet") ||
		strings.HasSuffix(low, "/.ethereum") {
		r.ask(lore.ActDeletesData, deletesKeys)
		return
	}
	r.ask(lore.ActDeletesData, shown(low))
}
