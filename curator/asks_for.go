package curator

import (
	"regexp"
	"slices"
	"strings"

	"agentlore/lore"
)

// mostAsked bounds what is said of one fix. What makes it withheld comes first, so that no flood of harmless labels
// hides it.
const mostAsked = 20

// AsksFor returns what a scrubbed fix asks its reader to do, of what could harm: each once, in order of acts, at most
// 20. It reads commands,
// calls and prose; a sentence that says not to do something asks for nothing. It is a reading of words, not a
// judgement: "npm i viem"
// gives installs npm:viem, whatever viem is.
//
// It reads the fix as words, each with its place in clause and sentence. One rule finds each act:
//
//	places     URLs, hosts, addresses and people in messengers, wherever they stand
//	packages   commands of package managers, manifests, and prose such as "switch to the x package"
//	downloads  a command that fetches, and one that runs it
//	value      approve, send and grant, with who gets it
//	secrets    enter, paste, export and the like, with a key or seed, unless it goes to a file of one's own
//	data       rm, delete and wipe with a folder or database; flags that switch checks off
func AsksFor(fix string) []lore.AsksFor {
	r := &fixReader{text: armed(fix)}
	r.read()
	r.places()
	r.foreignSecret()
	for i := range r.words {
		if r.isPlain(i) {
			continue
		}
		r.command(i)
		r.packages(i)
		r.download(i)
		r.call(i)
		r.value(i)
		r.secret(i)
		r.data(i)
	}
	slices.SortFunc(r.found, func(a, b lore.AsksFor) int {
		if d := slices.Index(actOrder, a.Act) - slices.Index(actOrder, b.Act); d != 0 {
			return d
		}
		return strings.Compare(a.What, b.What)
	})
	return r.found[:min(len(r.found), mostAsked)]
}

// actOrder is the order of acts: those for which a fix is withheld, whatever it names, stand first.
var actOrder = []lore.Act{
	lore.ActShowsSecret, lore.ActSendsValue, lore.ActApprovesValue, lore.ActGivesControl, lore.ActRunsDownload,
	lore.ActInstalls,
	lore.ActNamesAddress, lore.ActOpensURL, lore.ActDeletesData, lore.ActSwitchesCheckOff, lore.ActRevokesApproval,
	lore.ActUpdates,
}

// Withholds reports whether a fix that asks for this must not be handed out as long as nobody with standing has
// confirmed it. It must not
// if it names a package, a place or an address that is not known, runs a download, shows a key or seed, deletes keys,
// or lets somebody whom
// it names, or everybody, have value or control. Value that goes where the reader's own code sends it ("approve the
// router for amountIn")
// is only labelled.
//
// Known is asked by the names of AsksFor.What: npm:viem, docs.example.org and the domains above it, github.com/foundry-
// rs, an address. See
// KnownNames.
func Withholds(fix []lore.AsksFor, known func(name string) bool) bool {
	if len(fix) >= mostAsked {
		return true // there may be more
	}
	return slices.ContainsFunc(fix, func(a lore.AsksFor) bool {
		switch a.Act {
		case lore.ActShowsSecret:
			return true
		case lore.ActInstalls, lore.ActRunsDownload, lore.ActOpensURL, lore.ActNamesAddress:
			return !isKnown(a.What, known)
		case lore.ActSendsValue, lore.ActApprovesValue, lore.ActGivesControl:
			return a.What != ""
		case lore.ActDeletesData:
			return a.What == deletesKeys
		}
		return false
	})
}

// isKnown asks for a name, for the domains above a host, and for the account of a repository.
func isKnown(name string, known func(name string) bool) bool {
	if name == "" || strings.Contains(name, remark) {
		return false
	}
	if wellKnownPackages[name] || wellKnownPlaces[name] || known(name) {
		return true
	}
	registry, rest, _ := strings.Cut(name, ":")
	switch registry {
	case "forge":
		owner, _, _ := strings.Cut(rest, "/")
		return isKnown("github.com/"+owner, known)
	case "go":
		if parts := strings.SplitN(rest, "/", 3); len(parts) > 1 && sharedHosts[parts[0]] > 0 {
			return isKnown(parts[0]+"/"+parts[1], known)
		}
	}
	for host := range domainsAbove(name) {
		if wellKnownPlaces[host] || known(host) {
			return true
		}
	}
	return false
}

// armed returns a text with hosts as they are meant that were written so that nobody follows them: hxxps://evil[.]io.
func armed(text string) string {
	for _, sign := range disarmed {
		if strings.Contains(text, sign) {
			return ideographicStop.ReplaceAllString(rearm.Replace(text), "$1.$2")
		}
	}
	return text
}

var (
	disarmed = []string{"[.]", "(.)", "[dot]", "(dot)", "hxxp", "．", "｡", "。"}
	rearm    = strings.NewReplacer("[.]", ".", "(.)", ".", "[dot]", ".", "(dot)", ".", "hxxp", "http", "．", ".", "｡",
		".")
	// ideographicStop ends a sentence of Chinese or Japanese, and is a dot to browsers.
	ideographicStop = regexp.MustCompile("([0-9A-Za-z])。([A-Za-z])")
)

// fixReader reads one fix.
type fixReader struct {
	text  string
	words []fixWord
	found []lore.AsksFor
	asked map[lore.AsksFor]bool // what stands in found
}

// ask adds what a fix asks for, once.
func (r *fixReader) ask(act lore.Act, what string) {
	asked := lore.AsksFor{Act: act, What: what}
	if r.asked[asked] {
		return
	}
	if r.asked == nil {
		r.asked = map[lore.AsksFor]bool{}
	}
	r.asked[asked] = true
	r.found = append(r.found, asked)
}
