package scrubber

import (
	"strconv"
	"strings"
)

// Keys with the provider's prefix.
func providerRules() []rule {
	rules := []rule{{
		name: "openai by its mark", kind: KindProviderKey, anchors: []string{"T3BlbkFJ"}, find: findMarked,
		removed: []string{"«sk-<an:20>T3BlbkFJ<an:20>»", "k=«sk-<an:24>T3BlbkFJ<an:20>»;"},
		kept:    []string{"T3BlbkFJ", "a T3BlbkFJ b"},
	}, {
		name: "telegram bot", kind: KindProviderKey, anchors: []string{":AA"}, find: findTelegram,
		removed: []string{"«<dig:9>:AA<u64:33>»", "bot«<dig:10>:AA<u64:33>»/getMe"},
		kept:    []string{"foo:AA<u64:33>", "12:AA<u64:33>", "<dig:9>:AA<u64:20>"},
	}, {
		name: "chat webhook", kind: KindProviderKey, anchors: []string{"hooks.slack.com/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/"}, find: findWebhook,
		removed: []string{"https://hooks.slack.com/«services/T<HEX:8>/B<HEX:8>/<an:24>»", "https://discord.com/api/webhooks/«<dig:18>/<u64:68>»"},
		kept:    []string{"https://hooks.slack.com/services/", "https://discord.com/api/webhooks/<id>"},
	}, {
		name: "discord bot", kind: KindProviderKey, run: 23, find: findDiscord,
		removed: []string{"«M<an:23>.<u64:6>.<u64:27>»", "token \"«N<an:25>.<an:6>.<an:38>»\""},
		kept:    []string{"M<an:23>.<an:6>.<an:20>", "P<an:23>.<an:6>.<an:27>", "Module<lo:20>.length.toString"},
	}, {
		name: "azure client secret", kind: KindProviderKey, anchors: []string{"8Q~", "7Q~"}, find: findAzure,
		removed: []string{"«<an:3>8Q~<an:34>»", "secret=«<an:3>8Q~<an:31>_.-»"},
		kept:    []string{"8Q~", "<an:3>8Q~<an:10>"},
	}, {
		name: "mailchimp", kind: KindProviderKey, anchors: []string{"-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"}, find: findMailchimp,
		removed: []string{"«<hex:32>-us18»", "key: «<hex:32>-us2»"},
		kept:    []string{"<hex:30>-us2", "s3-us2", "<hex:40>-us2"},
	}, {
		name: "artifactory", kind: KindProviderKey, anchors: []string{"AKC", "AP0", "AP1", "AP2", "AP3", "AP4", "AP5", "AP6", "AP7", "AP8", "AP9"}, find: findArtifactory,
		removed: []string{"«AP2<an:55>0OIl7»", "\"«AKC<an:64>»\""},
		kept:    []string{"AKC<b58:41>", "AP8<b58:41>", "AP5<b58:31>", "AP2<b58:84>", "x<an:20>AP2", "APIOrganizationExist", "AKClassName"},
	}, {
		name: "vault, old form", kind: KindProviderKey, run: 24, find: findVault,
		removed: []string{"token: «s.<an:22>7q»", "\"«s.A1b<an:21>»\""},
		kept:    []string{"s.makeKubeConfigControllers = args", "s.<UPPER:24>", "ss.<an:24>", "s.<an:25>"},
	}, {
		name: "bundler source", kind: KindProviderKey, anchors: []string{"contribsys"}, fold: true, find: findBundler,
		removed: []string{"BUNDLE_GEMS__CONTRIBSYS__COM: \"«<hex:8>:<hex:8>»\"", "export BUNDLE_ENTERPRISE__CONTRIBSYS__COM=«<hex:8>:<hex:8>» && x"},
		kept:    []string{"BUNDLE_GEMS__CONTRIBSYS__COM: x", "gems.contribsys.com"},
	}, {
		name: "sumo logic id", kind: KindProviderKey, anchors: []string{"accessid", "access_id"}, fold: true, find: findSumo,
		removed: []string{"sumologic.accessId = \"«su<an:10>Q7»\"", "access_id: «su<an:10>z9»"},
		kept:    []string{"accessId = \"sum\"", "accessId: <dig:12>"},
	}, {
		name: "npm registry token", kind: KindProviderKey, anchors: []string{"_authtoken=", ":_auth=", ":_password="}, fold: true, find: findAuthToken,
		removed: []string{"//r.example/:_authToken=«<uuid>»", "_authToken=«npm_xx<an:9>»"},
		kept:    []string{"_authToken=${NPM_TOKEN}", "_authToken="},
	}}
	for _, f := range keyForms {
		for _, prefix := range f.prefixes {
			rules = append(rules, f.rule(prefix))
		}
	}
	return rules
}

// rule turns one prefix of a form into a rule with examples made from it.
func (f keyForm) rule(prefix string) rule {
	class, longest := "an", min(f.max, 200)
	switch {
	case f.class == clsHex:
		class = "hex"
	case f.class == clsUpper|clsDigit:
		class = "UPD"
	case f.class == clsLower|clsDigit:
		class = "b36"
	}
	if f.must != "" {
		class, longest = "an:12>"+f.must+"<"+class, longest-50
	}
	r := rule{name: f.name + " " + prefix, kind: KindProviderKey, strict: f.min == f.max, find: f.find}
	r.removed = []string{"«" + prefix + "<" + class + ":" + strconv.Itoa(f.min) + ">»", "key: \"«" + prefix + "<" + class + ":" + strconv.Itoa(longest) + ">»\","}
	r.kept = []string{prefix}
	if !strings.HasSuffix(prefix, "=") {
		r.kept = append(r.kept, prefix+"<"+class+":"+strconv.Itoa(f.min/2-1)+">")
	}
	if len(prefix) >= 3 {
		r.anchors = []string{prefix}
		return r
	}
	r.run = len(prefix) + f.min
	r.find = func(sc *scan, lo, hi int) int {
		if strings.HasPrefix(sc.text[lo:hi], prefix) {
			f.find(sc, lo, lo+len(prefix))
		}
		return hi
	}
	return r
}

func (f keyForm) find(sc *scan, lo, hi int) int {
	text := sc.text
	if !f.open && lo > 0 && is(text[lo-1], clsAlnum) && !sc.seam(lo) {
		return lo + 1
	}
	end := hi
	for end < len(text) && (is(text[end], f.class) || f.extra != "" && strings.IndexByte(f.extra, text[end]) >= 0) {
		end++
	}
	stop := end
	for stop > hi && strings.IndexByte("-_.%", text[stop-1]) >= 0 && stop-hi > f.min {
		stop--
	}
	if n := stop - hi; n < f.min || n > f.max || stop < len(text) && is(text[stop], clsAlnum) && !sc.seam(stop) || !f.dull && dull(text[hi:stop]) || !strings.Contains(text[hi:stop], f.must) {
		return max(lo+1, min(hi, end))
	}
	if text[lo] == '.' { // the prefix stands inside the key
		lo = back(text, lo, clsAlnum)
	}
	sc.emit(KindProviderKey, lo, stop)
	return stop
}

// dull tells a placeholder (xxxx, 0000, 123412341234) from a drawn key: it has few distinct characters.
func dull(s string) bool {
	var seen [128]bool
	distinct, n := 0, 0
	for i := range len(s) {
		c := s[i] & 127
		if !is(c, clsAlnum) {
			continue
		}
		n++
		if !seen[c] {
			seen[c] = true
			distinct++
		}
	}
	return distinct < min(7, n/2+1)
}

func findMarked(sc *scan, lo, hi int) int {
	from := back(sc.text, lo, clsURL64)
	end := forward(sc.text, hi, clsURL64)
	if i := strings.Index(sc.text[from:lo], "sk-"); i >= 0 && lo-from-i >= 16 && end-hi >= 16 {
		sc.emit(KindProviderKey, from+i, end)
	}
	return end
}

func findTelegram(sc *scan, lo, hi int) int {
	from := back(sc.text, lo, clsDigit)
	end := forward(sc.text, hi, clsURL64)
	if n := lo - from; n < 8 || n > 10 || end-hi < 32 || end-hi > 34 {
		return hi
	}
	sc.emit(KindProviderKey, from, end)
	return end
}

func findWebhook(sc *scan, lo, hi int) int {
	end := hi
	for end < len(sc.text) && (is(sc.text[end], clsURL64) || sc.text[end] == '/') {
		end++
	}
	if i := strings.LastIndexByte(sc.text[hi:end], '/'); i > 0 && end-hi-i > 16 {
		sc.emit(KindProviderKey, hi, end)
	}
	return end
}

func findAzure(sc *scan, lo, hi int) int {
	text := sc.text
	const more = "._~-"
	end := hi
	for end < min(len(text), hi+40) && (is(text[end], clsAlnum) || strings.IndexByte(more, text[end]) >= 0) {
		end++
	}
	stop := min(end, hi+34)
	if lo < 3 || stop-hi < 31 || end-hi > 36 {
		return hi
	}
	for i := lo - 3; i < lo; i++ {
		if !is(text[i], clsAlnum) && strings.IndexByte(more, text[i]) < 0 {
			return hi
		}
	}
	if dull(text[hi:stop]) || lo > 3 && is(text[lo-4], clsAlnum) {
		return hi
	}
	sc.emit(KindProviderKey, lo-3, end)
	return end
}

func findMailchimp(sc *scan, lo, hi int) int {
	from := back(sc.text, lo, clsAlnum)
	end := forward(sc.text, hi, clsAlnum)
	if lo-from == 32 && end-hi <= 1 && all(sc.text[from:lo], clsHex) && strings.ToLower(sc.text[from:lo]) == sc.text[from:lo] {
		sc.emit(KindProviderKey, from, end)
	}
	return end
}

// findArtifactory: AP and a digit, or AKC, at the start of a run.
func findArtifactory(sc *scan, lo, hi int) int {
	end := forward(sc.text, hi, clsAlnum)
	// Addresses and signatures in base58 may begin so, too.
	if n := end - lo; lo > 0 && is(sc.text[lo-1], clsAlnum) || end-hi < 10 || n > 100 || n > 24 && n != 73 && all(sc.text[lo:end], clsBase58) {
		return end
	}
	if rest := sc.text[hi:end]; strings.ContainsAny(rest, "0123456789") || dull(rest) {
		sc.emit(KindProviderKey, lo, end)
	}
	return end
}

func findAuthToken(sc *scan, _, hi int) int {
	end := forward(sc.text, hi, clsBase64|clsURL64|clsPad)
	if end-hi >= 8 {
		sc.emit(KindProviderKey, hi, end)
	}
	return end
}

// findDiscord: three parts, the first of which begins with the base64 of a decimal number.
func findDiscord(sc *scan, lo, _ int) int {
	text := sc.text
	id := forward(text, lo, clsURL64)
	if c := text[lo]; c < 'M' || c > 'O' || lo > 0 && is(text[lo-1], clsURL64) || id-lo < 23 || id-lo > 28 || id >= len(text) || text[id] != '.' {
		return lo
	}
	stamp := forward(text, id+1, clsURL64)
	if stamp-id != 7 || stamp >= len(text) || text[stamp] != '.' {
		return lo
	}
	end := forward(text, stamp+1, clsURL64)
	if n := end - stamp - 1; n >= 27 && n <= 38 {
		sc.emit(KindProviderKey, lo, end)
	}
	return lo
}

// findVault: s. and exactly 24 characters that are neither words nor all of one case.
func findVault(sc *scan, lo, hi int) int {
	text := sc.text
	if hi-lo != 24 || lo < 2 || text[lo-2:lo] != "s." || lo > 2 && is(text[lo-3], clsAlnum) {
		return hi
	}
	if value := text[lo:hi]; upperLower(value) && drawn(value) && strings.ContainsAny(value, "0123456789") {
		sc.emit(KindProviderKey, lo-2, hi)
	}
	return hi
}

func findBundler(sc *scan, _, hi int) int {
	text := sc.text
	at := forward(text, hi, clsAlnum)
	at = skip(text, at, "_COM")
	at = skip(text, at, " :=\"'\t")
	end := at
	for end < len(text) && (is(text[end], clsHex) || text[end] == ':') {
		end++
	}
	if end-at == 17 && text[at+8] == ':' {
		sc.emit(KindProviderKey, at, end)
	}
	return max(hi, end)
}

func findSumo(sc *scan, _, hi int) int {
	at := skip(sc.text, hi, " :=\"'\t")
	end := forward(sc.text, at, clsAlnum)
	if end-at == 14 && strings.HasPrefix(sc.text[at:], "su") && strings.ContainsAny(sc.text[at:end], "0123456789") {
		sc.emit(KindProviderKey, at, end)
	}
	return max(hi, end)
}
