package curator

import (
	"maps"
	"slices"
	"strings"

	"agentlore/lore"
)

// packageManager is what a command needs to be read.
type packageManager struct {
	registry string          // how its packages are named: npm:viem
	installs map[string]bool // its words behind which packages stand
	runs     map[string]bool // its words behind which a package stands that is fetched and run
}

var packageManagers = func() map[string]packageManager {
	node := packageManager{"npm", namesOf("i in install add update up upgrade link isntall"),
		namesOf("dlx exec x create init")}
	python := packageManager{"pip", namesOf("install add update upgrade"), nil}
	system := packageManager{"apt", namesOf("install add -s -sy"), nil}
	table := map[string]packageManager{
		"npx": {"npm", nil, nil}, "bunx": {"npm", nil, nil}, "uvx": {"pip", nil, nil},
		"uv":       {"pip", namesOf("add install"), nil},
		"pipx":     {"pip", namesOf("install inject upgrade"), namesOf("run")},
		"cargo":    {"cargo", namesOf("add install binstall update"), nil},
		"go":       {"go", namesOf("get install"), namesOf("run")},
		"gem":      {"gem", namesOf("install update"), nil},
		"bundle":   {"gem", namesOf("add"), nil},
		"composer": {"composer", namesOf("require"), nil},
		"brew":     {"brew", namesOf("install tap upgrade"), nil},
		"forge":    {"forge", namesOf("install i"), nil},
		"soldeer":  {"forge", namesOf("install"), nil},
		"code":     {"vscode", namesOf("--install-extension"), nil},
		"cursor":   {"vscode", namesOf("--install-extension"), nil},
	}
	for names, manager := range map[string]packageManager{
		"npm pnpm yarn bun cnpm deno":                                   node,
		"pip pip3 poetry pdm pipenv conda mamba":                        python,
		"apt apt-get yum dnf apk pacman snap choco winget scoop zypper": system,
		"docker podman nerdctl":                                         {"docker", nil, namesOf("run pull create")},
	} {
		for name := range strings.FieldsSeq(names) {
			table[name] = manager
		}
	}
	return table
}()

var (
	managers = setOf(strings.Join(slices.Collect(maps.Keys(packageManagers)), " "))
	updates  = namesOf("update up upgrade")
	// runners are managers whose next word is fetched and run.
	runners = setOf("npx bunx uvx")
	// valueFlags are flags whose next word is no package.
	valueFlags = namesOf(`--registry --index-url --extra-index-url -i --tag --branch --rev --git --path --features -f
		-r -c --version --precise --target --prefix --cwd --trusted-host --find-links --channel`)
	containerFlags = namesOf(`--name --network --entrypoint --user -u --workdir -w -v --volume -e --env -p --publish
		--platform --mount --env-file --restart -m --memory --label -l`)
	// proseStops are words behind which no package stands any more.
	proseStops = setOf(`and then to in for from with before so which again instead at on or if as until because it
		the your globally locally first once after a version but this that these while when now also into is was
		works fixed fixes worked solved solves everything manually has had by via not afterwards than rather there
		here inside under using helped only will would should makes made brings gets got does did of its all both
		without whose where next can command line step script failed fails prints says needs pulls resolved`)
)

// command reads a command of a package manager that begins at a word.
func (r *fixReader) command(i int) {
	if !r.is(i, managers) {
		return
	}
	manager := packageManagers[r.words[i].low]
	if i+1 >= len(r.words) || r.words[i].ends > goesOn || r.negatedWithin(i, 2) {
		return
	}
	next := i + 1
	if manager.registry == "cargo" && strings.HasPrefix(r.text[max(0, r.words[next].at-1):], "+") {
		next++
	}
	for !r.is(i, runners) && next+1 < len(r.words) { // npm -g i x, yarn workspace w add x
		switch flag := r.words[next].text; {
		case manager.installs[flag]:
		case r.low(next) == "workspace":
			next += 2
			continue
		case strings.HasPrefix(flag, "-") || r.low(next) == "global":
			next++
			continue
		}
		break
	}
	if next >= len(r.words) {
		return
	}
	act := lore.ActInstalls
	switch verb := r.low(next); {
	case r.is(i, runners):
		act, next = lore.ActRunsDownload, next-1
	case updates[verb] && manager.registry != "pip": // of what is there: these add nothing
		act = lore.ActUpdates
	case manager.installs[verb]:
	case manager.runs[verb], verb == "tool" && r.low(next+1) == "run":
		act = lore.ActRunsDownload
		if verb == "tool" {
			next++
		}
	default:
		return
	}
	if r.words[next].ends > goesOn {
		return
	}
	create := r.low(next) == "create" || r.low(next) == "init"
	for j, taken := next+1, 0; j < len(r.words); j++ {
		w := r.words[j]
		flag := strings.HasPrefix(w.text, "-")
		switch {
		case w.low == "|", w.code != r.words[i].code, !w.code && w.is(proseStops) && !(taken == 0 && w.is(pronouns)):
			return
		case flag && (w.low == "--package" || w.low == "--save-dev"):
		case flag && (valueFlags[w.low] || containerFlags[w.low] && manager.registry == "docker"), w.low == "--":
			if w.low != "--" {
				j++
			}
		case flag, w.joined && taken > 0, r.isPlaceholder(j):
		default:
			if taken == 0 && w.is(pronouns) && !w.code {
				r.ask(act, "") // what was named before: npm i it
				return
			}
			name := packageName(w.text, manager.registry)
			if create && name != "" && manager.registry == "npm" {
				name = "create-" + name
			}
			if taken > 0 && !w.code && !isShaped(name) && w.ends == goesOn {
				return // prose goes on behind the command
			}
			r.takes(act, manager.registry, name)
			taken++
			if act == lore.ActRunsDownload {
				return
			}
		}
		if j >= len(r.words) || r.words[j].ends > goesOn && !r.isListed(j) {
			return
		}
	}
}

// isListed reports whether a comma stands behind a word, and another package behind that: npm i viem, abitype-x.
func (r *fixReader) isListed(i int) bool {
	return r.words[i].ends == clauseEnds && strings.HasPrefix(r.text[r.words[i].end:], ",") && i+1 < len(r.words) &&
		isShaped(packageName(r.words[i+1].text, ""))
}

// takes says that a package is installed or run.
func (r *fixReader) takes(act lore.Act, registry, name string) {
	switch {
	case name == "" || ordinary[name] && registry != "npm" && registry != "pip":
		return
	case act == lore.ActRunsDownload && registry == "npm" && (ownTools[name] || wellKnownPackages["npm:"+name]):
		return // npx runs what the project has
	case registry == "docker" && !strings.Contains(name, "/"):
		return // an official image
	}
	what := name
	if registry != "" {
		what = registry + ":" + name
	}
	if like := alike[lore.NameKey(name)]; like != "" && like != name && shown(name) == name {
		what += remark + "looks like " + like + ")"
	}
	r.ask(act, shown(what))
}

// alike are well known packages by the keys under which look-alikes are one.
var alike = func() map[string]string {
	keys := map[string]string{}
	for name := range wellKnownPackages {
		_, name, _ = strings.Cut(name, ":")
		keys[lore.NameKey(name)] = name
	}
	return keys
}()

// packageName returns the name of a package without its version, "" for what is none: paths, URLs, numbers, variables.
func packageName(text, registry string) string {
	name := strings.Trim(text, `'"\*`)
	if strings.Contains(name, "://") || strings.HasPrefix(name, "git+") || strings.HasPrefix(name, "git@") ||
		strings.HasPrefix(name, "github:") {
		return "" // hosts are found by themselves
	}
	if alias, target, is := strings.Cut(name, "@npm:"); is && alias != "" {
		name = target
	}
	name = strings.TrimPrefix(name, "npm:")
	if at := strings.LastIndexByte(name, '@'); at > 0 {
		if strings.ContainsAny(name[at:], ":/") {
			return "" // name@github:owner/repository: the place is found by itself
		}
		name = name[:at]
	}
	if registry == "docker" {
		slash := strings.LastIndexByte(name, '/')
		if colon := strings.LastIndexByte(name, ':'); colon > slash {
			name = name[:colon]
		}
	}
	if at := strings.IndexAny(name, "=<>~!^;"); at >= 0 {
		name = name[:at]
	}
	name = strings.Trim(name, "=.:,")
	switch {
	case name == "", strings.HasPrefix(name, "/"), strings.HasPrefix(text, "."), strings.HasPrefix(text, "~"),
		strings.ContainsAny(name, "$<>{}()|\\*%"):
		return ""
	case name[0] >= '0' && name[0] <= '9', strings.HasPrefix(name, "-"), len(name) > 200:
		return ""
	case registry == "go" && (!strings.Contains(name, ".") || !strings.Contains(name, "/")):
		return ""
	case registry == "forge" && !strings.Contains(name, "/"):
		return ""
	case name == strings.ToUpper(name) && name != strings.ToLower(name) || name == "package-name" || name == "latest" ||
		name == "next":
		return "" // NAME stands for a name
	}
	for _, ending := range [...]string{".txt", ".toml", ".json", ".lock", ".yaml", ".yml", ".whl", ".tgz"} {
		if strings.HasSuffix(name, ending) {
			return ""
		}
	}
	if foldWord(name) != strings.ToLower(name) {
		return name // so that its odd letters are shown as they are
	}
	return strings.ToLower(name)
}

// isPlaceholder reports whether a word stands in angle brackets: <package>.
func (r *fixReader) isPlaceholder(i int) bool {
	w := r.words[i]
	return w.at > 0 && r.text[w.at-1] == '<' && strings.HasPrefix(r.text[w.end:], ">")
}

// isShaped reports whether a name has the form of a package's, which hardly another word has.
func isShaped(name string) bool {
	return name != "" && (name[0] == '@' && strings.Contains(name, "/") || strings.ContainsAny(name, "-_") ||
		strings.HasSuffix(name, ".js") || strings.HasSuffix(name, ".py"))
}
