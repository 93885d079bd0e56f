package curator

import (
	"strings"
	"unicode/utf8"

	"agentlore/lore"
)

// products are parts of names of packages. A word with a hyphen is a package in prose if it has one: viem-retry, not
// round-robin.
var products = namesOf(`viem ethers ether web3 hardhat eth evm solana anchor wagmi metamask foundry forge
	openzeppelin zeppelin oz alloy truffle ledger walletconnect wallet rpc abi nonce gas tx erc20 erc4337 aa bundler
	uniswap aave safe solc solidity abigen geth reth erigon besu multicall permit xrpl ripple cosmos cosmjs
	tendermint ibc spl metaplex npm node js ts py rs sdk cli lib utils util plugin patch patched fix fixed hotfix
	helper shim polyfill client fork provider signer retry hardened turbo pro lite next community core toolkit tools
	guard rescue`)

// isProduct reports whether one part of a name is a product's.
func isProduct(name string) bool {
	if strings.HasPrefix(name, "@") && strings.Contains(name, "/") {
		return true
	}
	parts := strings.FieldsFunc(name, func(c rune) bool { return strings.ContainsRune("-_./", c) })
	for _, part := range parts {
		if products[part] {
			return len(parts) > 1
		}
	}
	return false
}

// Words of prose about packages.
var (
	installVerbs = setOf("install reinstall installing installed reinstalling reinstalled")
	useVerbs     = setOf(`add adding added use using used try trying tried import importing include including require
		pull pulling pulled apply applying switch switching switched swap swapping swapped replace replacing replaced
		move moving moved migrate migrating migrated depend depending depends rely relying relied adopt adopting
		adopted consume consuming consumed bring drop wrap wrapping patch vendor put load enable enabling override
		overriding alias aliasing point pointing pin pinning pinned change changing changed grab get got want wants
		need needs needed ship shipping found recommend suggest set`)
	changeVerbs = setOf(`switch switching switched swap swapping swapped replace replacing replaced move moving moved
		migrate migrating migrated change changing changed alias aliasing point pointing go going went`)
	versionVerbs = setOf(`upgrade upgrading upgraded update updating updated downgrade downgrading downgraded bump
		bumping bumped pin pinning pinned lock locking locked rolled rolling roll`)
	packageNouns = setOf(`package packages library libraries module plugin crate gem dependency dependencies
		devdependency fork sdk extension shim polyfill wrapper snap middleware helper adapter cli client binary tool
		template addon add-on linter image provider repo`)
	extensions    = setOf("extension addon add-on snap apk mcp")
	registryNouns = namesOf("package packages library crate gem dependency")
	fillers       = setOf(`the a an latest missing official newest additional package library plugin extension module
		crate dependency called named tool also both our this small community npm python pypi drop-in maintained
		patched newer current same fitting right correct old other following required`)
	ordinary = namesOf(`dependencies deps packages package it them all everything again node_modules version both one
		ones right old new tool tools requirements libraries plugins extensions application app release update
		updates software client node command build contract contracts solidity pkg name`)
)

// packages finds packages that prose asks to install.
func (r *fixReader) packages(i int) {
	w := r.words[i]
	switch {
	case w.is(installVerbs) && !r.is(i-1, managers) && r.isAsked(i) && w.ends < sentenceEnds:
		r.installed(i)
		r.extension(i)
	case w.is(versionVerbs) && r.isAsked(i) && !r.is(i-1, managers):
		r.versioned(i)
	case w.is(packageNouns):
		r.named(i)
	}
	if w.is(changeVerbs) && !r.negated(i) {
		r.changed(i)
	}
	r.mentioned(i)
	if r.isNumbered(i) && r.holds(r.sentenceStart(i, 10), r.sentence(i, 10), installing) >= 0 {
		r.takes(lore.ActInstalls, r.registry(i), packageName(w.text, ""))
	}
	if registry := registryWords[w.low]; registry != "" && r.isPair(i) && isShaped(r.low(i+1)) { // npm: name
		r.takes(lore.ActInstalls, registry, packageName(r.words[i+1].text, registry))
	}
	if w.text == "FROM" && strings.Contains(r.low(i+1), "/") {
		r.takes(lore.ActRunsDownload, "docker", packageName(r.words[i+1].text, "docker"))
	}
	if w.low == "image" && r.isPair(i) && strings.Contains(r.low(i+1), "/") {
		r.takes(lore.ActRunsDownload, "docker", packageName(r.words[i+1].text, "docker"))
	}
	if name, at := r.pinned(i); name != "" {
		if verb := r.holds(r.sentenceStart(i, 10), at, installing); verb >= 0 && !r.negated(verb) ||
			r.aboutManifest(i) {
			r.takes(lore.ActInstalls, r.registry(i), name)
		}
	}
	if (w.low == "from" || w.low == "require" || w.low == "import") && i+1 < len(r.words) &&
		r.quoted(i+1) { // import { x } from "name"
		if name := packageName(r.words[i+1].text, "npm"); name != "" && !strings.Contains(name, ":") && !r.negated(i) &&
			(w.low == "from" && r.holdsWord(i-8, i, "import") || w.low != "from" && r.isCall(i) &&
				r.isOnlyArgument(i+1) || w.low == "import" && !r.isCall(i)) {
			parts := strings.SplitN(name, "/", 3)
			if strings.HasPrefix(name, "@") && len(parts) > 1 {
				name = parts[0] + "/" + parts[1]
			} else {
				name = parts[0]
			}
			if !ordinary[name] && !wellKnownPackages["npm:"+name] && !strings.HasSuffix(r.words[i+1].low, ".sol") {
				r.takes(lore.ActInstalls, "npm", name)
			}
		}
	}
}

var (
	installing = installVerbs | useVerbs | versionVerbs
)

// installed reads what stands behind "install".
func (r *fixReader) installed(i int) {
	for j := i + 1; j < r.clause(i, 7); j++ {
		w := r.words[j]
		if w.begins || w.is(managers) || r.isPlaceholder(j) {
			return
		}
		if w.is(fillers) || strings.HasPrefix(w.text, "-") {
			continue
		}
		name := packageName(w.text, "")
		bare := !w.code && !isShaped(name)
		if name == "" || ordinary[name] || bare && (isIn(name, proseStops) || isIn(name, packageNouns) ||
			len(name) < 3 || strings.HasSuffix(name, "ly") || w.address != "") {
			return
		}
		if bare && j+1 < r.clause(i, 9) && r.is(j+1, packageNouns) && ordinary[r.low(j+1)] {
			return
		}
		if strings.ContainsAny(name, "/:") && name[0] != '@' || strings.Contains(name, ".") && r.words[j].host != "" {
			return
		}
		r.takes(lore.ActInstalls, r.registry(i), name)
		return
	}
}

// extension reads "install the x extension", "install the extension 'x y'": what runs in an editor or a browser has a
// name of several words.
func (r *fixReader) extension(i int) {
	noun := r.holds(i+1, r.clause(i, 9), extensions)
	if noun < 0 {
		return
	}
	var name []string
	for j := i + 1; j < noun; j++ {
		if !r.words[j].is(fillers|extensions) && !editors[r.low(j)] {
			name = append(name, r.low(j))
		}
	}
	if len(name) == 0 {
		for j := noun + 1; j < r.clause(noun, 6) && (r.quoted(j) || len(name) > 0); j++ {
			name = append(name, r.low(j))
			if end := r.words[j].end; end < len(r.text) && strings.IndexByte("'\"`", r.text[end]) >= 0 {
				break
			}
		}
	}
	if len(name) > 0 {
		r.takes(lore.ActInstalls, "", strings.Join(name, " "))
	}
}

var editors = namesOf("vs code vscode chrome firefox brave browser cursor browser's editor metamask-flask")

// versioned reads "upgrade x to 2.21".
func (r *fixReader) versioned(i int) {
	for j := i + 1; j < r.clause(i, 8); j++ {
		if to := r.low(j); to != "to" && to != "at" && to != "past" && to != "on" || j == i+1 || j+1 >= len(r.words) {
			continue
		}
		name := packageName(r.words[j-1].text, "")
		if isIn(name, packageNouns) && j-2 > i {
			name = packageName(r.words[j-2].text, "")
		}
		version := strings.TrimPrefix(strings.TrimLeft(r.low(j+1), "^~>=<"), "v")
		unit := r.low(j + 2)
		versioned := version != "" && (isDigit(version[0]) || version == "latest" || version == "main")
		if name == "" || ordinary[name] || !versioned || unit == "gwei" || unit == "eth" || unit == "%" {
			return
		}
		if strings.ContainsRune(version, '.') || r.low(j + 1)[0] == 'v' || !isDigit(version[0]) {
			if isShaped(name) || r.words[j-1].code || !isStopOrCommon(name) {
				r.takes(lore.ActInstalls, r.registry(i), name)
			}
		}
		return
	}
}

func isStopOrCommon(name string) bool {
	return isIn(name, proseStops) || commonNouns[name] || isIn(name, packageNouns)
}

// commonNouns can have a version or a number and are no packages.
var commonNouns = namesOf(`price limit fee gas tip slippage timeout multiplier adjustment factor version pragma
	compiler evm block depth size cap rate threshold plan count retries interval buffer value tolerance nonce height
	amount ratio dependency it them everything schema idl abi config toolchain runtime memory heap edition firmware`)

// named reads "the x package", "a package called x", with a verb that asks for it.
func (r *fixReader) named(i int) {
	from := r.sentenceStart(i, 12)
	verb := r.holds(from, i, installing)
	if verb < 0 {
		verb = r.holds(i, r.sentence(i, 8), installing)
	}
	asked := verb >= 0 && !r.negated(verb)
	if !asked && (verb >= 0 || r.negated(i) || r.holds(from, i, removing) >= 0) {
		return
	}
	try := func(j int, certain bool) bool {
		if j < 0 || j >= len(r.words) || j == verb {
			return false
		}
		w := r.words[j]
		name := packageName(w.text, "")
		switch {
		case len(name) < 3 || ordinary[name] || isIn(name, packageNouns) || registryWords[name] != "":
			return false
		case strings.HasPrefix(w.text, "-") || strings.ContainsAny(name, "/:") && name[0] != '@':
			return false
		case j+1 < len(r.words) && r.words[j].end < len(r.text) && r.text[r.words[j].end] == '(':
			return false
		case !asked && !(r.is(i, packageNouns) && registryNouns[r.low(i)] && isShaped(name) && isProduct(name)):
			return false
		case !certain && !isProduct(name) && !((w.code || r.quoted(j)) && (isShaped(name) || registryNouns[r.low(i)])):
			return false
		case !certain && !isProduct(name) && w.text != strings.ToLower(w.text):
			return false
		case certain && (isIn(name, proseStops) || isStopOrCommon(name)):
			return false
		}
		r.takes(lore.ActInstalls, r.registry(i), name)
		return true
	}
	switch next := r.low(i + 1); {
	case r.words[i].ends < sentenceEnds && (next == "called" || next == "named") && try(i+2, true):
	case registryNouns[r.low(i)] && r.isThere(i+1, try):
	case i > 0 && r.words[i-1].ends == goesOn && try(i-1, false):
	case r.words[i].ends == goesOn && try(i+1, false):
	}
}

// isThere reads "the crate you want is x", "the package: x".
func (r *fixReader) isThere(from int, try func(i int, certain bool) bool) bool {
	for j := from; j < from+5 && j+1 < len(r.words) && r.words[j].ends < sentenceEnds; j++ {
		if r.low(j) == "is" || r.low(j) == "was" || r.words[j].ends == clauseEnds {
			return (r.words[j+1].code || r.quoted(j+1) || isShaped(r.low(j+1))) && try(j+1, true)
		}
	}
	return false
}

// mentioned reads a package that prose names without saying that it is one: a scoped name, or a product's with something
// added.
func (r *fixReader) mentioned(i int) {
	w := r.words[i]
	if len(w.text) < 5 || w.text[0] != '@' && strings.IndexByte(w.text, '-') < 1 || w.text != strings.ToLower(w.text) {
		return
	}
	if r.isCall(i) || w.host != "" || r.negated(i) {
		return
	}
	scoped := w.text[0] == '@' && strings.IndexByte(w.text, '/') > 1
	if w.text[0] == '@' && !scoped || !scoped && (!isAddition(w.text) || w.at > 0 && r.text[w.at-1] == '/') {
		return
	}
	name := packageName(w.text, "npm")
	if scoped {
		if parts := strings.SplitN(name, "/", 3); len(parts) > 2 {
			name = parts[0] + "/" + parts[1]
		}
		if name == "" || wellKnownPackages["npm:"+name] {
			return
		}
	}
	from := r.sentenceStart(i, 12)
	if r.holds(max(from, i-5), i, removing) >= 0 {
		return
	}
	registry := r.registry(i)
	if scoped {
		registry = "npm"
	}
	r.takes(lore.ActInstalls, registry, name)
}

// isNumbered reports whether a word is a package with its version behind it: name-x 1.2.3.
func (r *fixReader) isNumbered(i int) bool {
	w := r.words[i]
	if !isShaped(w.text) || w.text[0] == '-' || w.text != strings.ToLower(w.text) || w.ends > goesOn || i+1 >= len(r.words) {
		return false
	}
	version := r.words[i+1].text
	return isVersion(version) && strings.Count(version, ".") > 1 && !r.isCall(i) && !r.negated(i) && r.holds(i-5, i, removing) < 0
}

// isAddition reports whether a word is the name of a product with something added that makes a package of it: viem-turbo,
// not viem-based.
func isAddition(word string) bool {
	parts := strings.Split(word, "-")
	if last := parts[len(parts)-1]; last == "" || isDigit(last[len(last)-1]) && len(last) <= 3 { // ethers-v6
		return false
	}
	first, last := parts[0], parts[len(parts)-1]
	return (stems[first] || stems[last]) && !noPackage[last] && !isNetwork(word) && !strings.ContainsAny(word, "/:=.$")
}

var (
	stems     = namesOf("viem ethers web3 hardhat wagmi openzeppelin metamask walletconnect solc alloy mcp")
	noPackage = namesOf(`style based like only side specific compatible native network node errors error related
		project agnostic compliant enabled mode level version`)
	removing = setOf(`remove removing removed uninstall uninstalling uninstalled drop dropping dropped delete without
		avoid`)
)

// changed reads "replace a with b", "switch from a to b", "use b instead of a".
func (r *fixReader) changed(i int) {
	for j := i + 1; j+1 < len(r.words) && j < r.clause(i, 9); j++ {
		if to := r.low(j); to != "with" && to != "for" && to != "by" && to != "to" {
			continue
		}
		for k := j + 1; k < r.clause(j, 5); k++ {
			if r.is(k, fillers) {
				continue
			}
			w := r.words[k]
			name := packageName(w.text, "")
			isPath := strings.Contains(name, "/") && name[0] != '@'
			if isProduct(name) && w.text == strings.ToLower(w.text) && w.host == "" && !isPath && !isNetwork(name) {
				r.takes(lore.ActInstalls, r.registry(i), name)
			}
			break
		}
	}
}

// isNetwork tells names of networks from those of packages.
func isNetwork(name string) bool {
	for _, network := range [...]string{"mainnet", "testnet", "devnet", "sepolia"} {
		if strings.Contains(name, network) {
			return true
		}
	}
	return false
}

// pinned returns the package of "name": "^1.2.3", name = "1.2", name==1.2.3 and name@1.2.3, and the place behind it.
func (r *fixReader) pinned(i int) (name string, behind int) {
	w := r.words[i]
	mayPin := strings.IndexByte(w.text, '@') > 0 || strings.IndexByte(w.text, '=') > 0
	if !mayPin && (w.end >= len(r.text) || strings.IndexByte("\"'` :=", r.text[w.end]) < 0) {
		return "", i
	}
	if at := strings.Index(w.text, "=="); at > 0 && at+2 < len(w.text) && isDigit(w.text[at+2]) &&
		strings.Contains(w.text[at:], ".") {
		return packageName(w.text[:at], "pip"), i + 1
	}
	if at := strings.LastIndexByte(w.text, '@'); at > 0 && isVersion(w.text[at+1:]) && (w.text[0] == '@' ||
		!strings.Contains(w.text, "/")) {
		return packageName(w.text, "npm"), i + 1
	}
	if i+1 < len(r.words) && w.end < len(r.text) {
		between := strings.Trim(r.text[w.end:max(w.end, min(r.words[i+1].at, w.end+12))], " \"'^~>=<")
		next := r.words[i+1].text
		isPair := between == ":" || between == "" && strings.ContainsAny(r.text[w.end:r.words[i+1].at], "=") &&
			strings.ContainsAny(r.text[w.end:r.words[i+1].at], `"'`)
		if next == "version" && strings.Contains(r.text[w.end:r.words[i+1].at], "= {") && !manifestKeys[w.low] {
			return packageName(w.text, "cargo"), i + 2
		}
		if isPair && (isVersion(next) || strings.HasPrefix(next, "npm:") || strings.HasPrefix(next, "git")) &&
			!manifestKeys[w.low] && r.aboutManifest(i) {
			if target, is := strings.CutPrefix(next, "npm:"); is {
				return packageName(target, "npm"), i + 2
			}
			return packageName(w.text, ""), i + 2
		}
	}
	return "", i
}

// isOnlyArgument reports whether a bracket closes behind a word in quotes.
func (r *fixReader) isOnlyArgument(i int) bool {
	return strings.HasPrefix(strings.TrimLeft(r.text[r.words[i].end:], "'\"`"), ")")
}

// isPair reports whether a colon stands right behind a word, and another word behind that: image: name.
func (r *fixReader) isPair(i int) bool {
	return i+1 < len(r.words) && r.words[i].end < len(r.text) && r.text[r.words[i].end] == ':'
}

var manifestKeys = namesOf(`version solidity node solc pragma engines npm target rust-version edition evmversion
	compilers compiler image anchor_version solana_version`)

// isVersion reports whether a text begins like 1.2, ^1.2 or v1.2.
func isVersion(text string) bool {
	text = strings.TrimLeft(text, "^~>=<v ")
	dot := strings.IndexByte(text, '.')
	return dot > 0 && isDigit(text[0]) && dot+1 < len(text) && (isDigit(text[dot+1]) || text[dot+1] == 'x')
}

// aboutManifest reports whether the text around a word is about a file of dependencies.
func (r *fixReader) aboutManifest(i int) bool { return r.holds(i-25, i+25, manifests) >= 0 }

var manifests = setOf(`package.json dependencies devdependencies overrides resolutions cargo.toml pyproject.toml
	requirements.txt requirements pom.xml peerdependencies dependency`)

// quoted reports whether a word stands in quotes or backticks.
func (r *fixReader) quoted(i int) bool {
	w := r.words[i]
	if w.code && (i == 0 || !r.words[i-1].code) && (i+1 >= len(r.words) || !r.words[i+1].code) {
		return true
	}
	if w.at == 0 {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(r.text[:w.at])
	return strings.ContainsRune(`"'“‘`, before)
}

// registry returns the registry that the words around a place name, "" if they name none.
func (r *fixReader) registry(i int) string {
	for j := r.sentenceStart(i, 12); j < r.sentence(i, 12); j++ {
		if registry := registryWords[r.words[j].low]; registry != "" {
			return registry
		}
	}
	return ""
}

var registryWords = map[string]string{
	"npm": "npm", "yarn": "npm", "pnpm": "npm", "package.json": "npm", "node": "npm", "pip": "pip", "pypi": "pip",
	"python": "pip", "requirements.txt": "pip", "pyproject.toml": "pip", "cargo": "cargo", "crate": "cargo",
	"crates": "cargo", "crates.io": "cargo", "cargo.toml": "cargo", "gem": "gem",
}
