package curator

import (
	"strings"

	"agentlore/lore"
)

// KnownNames are the packages, places and addresses that texts name which can be relied on for that: the library and
// the catalog, and the
// question, whose asker has them already; never those of the report that the fix is from. The zero value knows nothing.
type KnownNames struct {
	// packages holds packages with their registry, "npm:viem"; those that a text names without one, "viem"; and hosts
	// and addresses.
	names map[string]bool
	// words are all words of the texts: "upgrade erigon to 3.0" names no registry, so that nothing more can be known of
	// it.
	words map[string]bool
}

// Add reads a text. It takes as packages only what stands there as one, such as `npm i x`, node_modules/x or "module
// 'x'": that the library
// has the word "foundry" makes nobody's npm package of this name known.
func (k *KnownNames) Add(text string) {
	if k.names == nil {
		k.names, k.words = map[string]bool{}, map[string]bool{}
	}
	r := &fixReader{text: text}
	r.read()
	r.places()
	for i, w := range r.words {
		k.words[w.low] = true
		r.command(i)
		r.packages(i)
		if name := r.packageNamed(i); name != "" {
			k.names[name] = true
		}
	}
	for _, asked := range r.found {
		k.names[asked.What] = true
		if asked.Act == lore.ActOpensURL {
			for host := range domainsAbove(asked.What) {
				k.names[host] = true
			}
		}
	}
}

// AddName adds a name as AsksFor.What gives it, or that of a product.
func (k *KnownNames) AddName(name string) {
	if k.names == nil {
		k.names, k.words = map[string]bool{}, map[string]bool{}
	}
	name = strings.ToLower(name)
	k.names[name], k.words[name] = true, true
}

// Has reports whether a name of AsksFor.What is known. A package of one registry is not known because another has one
// of its name.
func (k *KnownNames) Has(name string) bool {
	if k.names[name] {
		return true
	}
	registry, bare, hasRegistry := strings.Cut(name, ":")
	if !hasRegistry {
		return k.words[name]
	}
	if !k.names[bare] {
		return false
	}
	for _, other := range [...]string{"npm", "pip", "cargo", "go", "gem"} {
		if other != registry && k.names[other+":"+bare] {
			return false
		}
	}
	return true
}

// packageNamed returns a package that a word names without asking for it: 'x' behind "module", node_modules/x, x@1.2,
// @scope/x, npm ls x.
func (r *fixReader) packageNamed(i int) string {
	w := r.words[i]
	for _, place := range [...]struct{ folder, registry string }{{"node_modules/", "npm:"}, {"site-packages/", "pip:"},
		{"dist-packages/", "pip:"}} {
		at := strings.LastIndex(w.low, place.folder)
		if at < 0 {
			continue
		}
		parts := strings.SplitN(w.low[at+len(place.folder):], "/", 3)
		if parts[0] != "" && parts[0][0] == '@' && len(parts) > 1 {
			return place.registry + parts[0] + "/" + parts[1]
		}
		return place.registry + parts[0]
	}
	if at := strings.Index(w.text, "/"); w.text[0] == '@' && at > 1 { // @scope/name, @scope/name/file
		parts := strings.SplitN(w.low, "/", 3)
		name := packageName(parts[0]+"/"+parts[1], "npm")
		if name == "" {
			return ""
		}
		return "npm:" + name
	}
	if at := strings.IndexByte(w.text, '@'); at > 0 && isVersion(w.text[at+1:]) {
		return packageName(w.text, "npm")
	}
	if at := strings.LastIndexByte(w.text, '/'); at > 0 && isVersion(w.text[at+1:]) &&
		!strings.Contains(w.text[:at], "/") {
		return packageName(w.text[:at], "npm")
	}
	before := r.low(i - 1)
	if named := isIn(before, beforeName); named && (r.quoted(i) || isShaped(packageName(w.text, ""))) ||
		before == "ls" && packageManagers[r.low(i-2)].registry != "" ||
		r.quoted(i) && (r.is(i-2, beforeName) || before == "named") {
		name := packageName(w.text, "")
		if slash := strings.IndexByte(name, '/'); slash > 0 {
			name = name[:slash]
		}
		if dot := strings.IndexByte(name, '.'); dot > 0 && !strings.HasSuffix(name, ".js") {
			name = name[:dot] // No module named 'web3.middleware'
		}
		return name
	}
	return ""
}

var beforeName = setOf(`module package crate import imports require resolve library named plugin dependency peer find
	load from`)
