package scrubber

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// Keys with the provider's prefix, or of a form that only one provider has.
func providerRules() []rule {
	rules := []rule{{
		name: "telegram bot", anchors: []string{":AA"}, head: clsDigit,
		pattern: regexp.MustCompile(`^(\d{8,10}:AA[\w-]{32,34})(?:[^\w-]|$)`),
		removed: []string{"«<dig:9>:AA<u64:33>»", "bot«<dig:10>:AA<u64:33>»/getMe"},
		kept:    []string{"foo:AA<u64:33>", "12:AA<u64:33>", "<dig:9>:AA<u64:20>"},
	}, {
		name: "chat webhook", anchors: []string{"hooks.slack.com/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/"},
		pattern: regexp.MustCompile(`^(?:hooks\.slack\.com|discord(?:app)?\.com/api/webhooks)/([\w/-]+/[\w-]{16,})`),
		removed: []string{
			"https://hooks.slack.com/«services/T<HEX:8>/B<HEX:8>/<an:24>»", "https://discord.com/api/webhooks/«<dig:18>/<u64:68>»",
		},
		kept: []string{"https://hooks.slack.com/services/", "https://discord.com/api/webhooks/<id>"},
	}, {
		name: "discord bot", run: 23, head: clsURL64,
		pattern: regexp.MustCompile(`^([MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,38})(?:[^\w-]|$)`), // begins with a number in base64
		removed: []string{"«M<an:23>.<u64:6>.<u64:27>»", "token \"«N<an:25>.<an:6>.<an:38>»\""},
		kept:    []string{"M<an:23>.<an:6>.<an:20>", "P<an:23>.<an:6>.<an:27>", "Module<lo:20>.length.toString"},
	}, {
		name: "azure client secret", anchors: []string{"8Q~", "7Q~"}, head: clsAzure,
		pattern: regexp.MustCompile(`^([\w.~-]{3}[78]Q~[\w.~-]{31,36})(?:[^\w.~-]|$)`),
		accept:  func(_ *scan, s string) bool { return !repetitive(s) },
		removed: []string{"«<an:3>8Q~<an:34>»", "secret=«<an:3>8Q~<an:31>_.-»"},
		kept:    []string{"8Q~", "<an:3>8Q~<an:10>"},
	}, {
		name: "mailchimp", anchors: []string{"-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"}, head: clsAlnum,
		pattern: regexp.MustCompile(`^([0-9a-f]{32}-us\d[0-9A-Za-z]?)(?:[^0-9A-Za-z]|$)`),
		removed: []string{"«<hex:32>-us18»", "key: «<hex:32>-us2»"},
		kept:    []string{"<hex:30>-us2", "s3-us2", "<hex:40>-us2"},
	}, {
		name: "artifactory", anchors: strings.Fields("AKC AP0 AP1 AP2 AP3 AP4 AP5 AP6 AP7 AP8 AP9"), head: clsAlnum,
		pattern: regexp.MustCompile(`^(A(?:KC|P\d)[0-9A-Za-z]{10,97})(?:[^0-9A-Za-z]|$)`),
		accept: func(_ *scan, s string) bool { // addresses and signatures in base58 may begin so, too
			return (len(s) <= 24 || len(s) == 73 || !all(s, clsBase58)) && (has(s[3:], clsDigit) || repetitive(s[3:]))
		},
		removed: []string{"«AP2<an:55>0OIl7»", "\"«AKC<an:64>»\""},
		kept: []string{
			"AKC<b58:41>", "AP8<b58:41>", "AP5<b58:31>", "AP2<b58:84>", "x<an:20>AP2", "APIOrganizationExist", "AKClassName",
		},
	}, {
		name: "vault, old form", run: 24, find: findVault,
		removed: []string{"token: «s.<an:22>7q»", "\"«s.A1b<an:21>»\""},
		kept:    []string{"s.makeKubeConfigControllers = args", "s.<UPPER:24>", "ss.<an:24>", "s.<an:25>"},
	}, {
		name: "bundler source", anchors: []string{"contribsys"}, fold: true,
		pattern: regexp.MustCompile(`(?i)^contribsys[0-9a-z]*[_COM]*[ :="'\t]*([0-9a-f]{8}:[0-9a-f]{8})(?:[^0-9a-f:]|$)`),
		removed: []string{
			"BUNDLE_GEMS__CONTRIBSYS__COM: \"«<hex:8>:<hex:8>»\"", "export BUNDLE_ENTERPRISE__CONTRIBSYS__COM=«<hex:8>:<hex:8>» && x",
		},
		kept: []string{"BUNDLE_GEMS__CONTRIBSYS__COM: x", "gems.contribsys.com"},
	}, {
		name: "sumo logic id", anchors: []string{"accessid", "access_id"}, fold: true,
		pattern: regexp.MustCompile(`(?i)^access_?id[ :="'\t]*((?-i:su)[0-9a-z]{12})(?:[^0-9a-z]|$)`),
		accept:  func(_ *scan, s string) bool { return has(s, clsDigit) },
		removed: []string{"sumologic.accessId = \"«su<an:10>Q7»\"", "access_id: «su<an:10>z9»"},
		kept:    []string{"accessId = \"sum\"", "accessId: <dig:12>"},
	}, {
		name: "npm registry token", anchors: []string{"_authtoken=", ":_auth=", ":_password="}, fold: true,
		pattern: regexp.MustCompile(`^[^=]*=([\w+/=-]{8,})`),
		removed: []string{"//r.example/:_authToken=«<uuid>»", "_authToken=«npm_xx<an:9>»"},
		kept:    []string{"_authToken=${NPM_TOKEN}", "_authToken="},
	}}
	for _, f := range keyForms {
		for prefix := range strings.FieldsSeq(f.prefixes) {
			rules = append(rules, f.rule(prefix))
		}
	}
	for i := range rules {
		rules[i].kind = cmp.Or(rules[i].kind, KindProviderKey)
	}
	return rules
}

// findVault: s. and exactly 24 characters that are neither words nor all of one case.
func findVault(sc *scan, lo, hi int) {
	text := sc.text
	if hi-lo != 24 || lo < 2 || text[lo-2:lo] != "s." || lo > 2 && is(text[lo-3], clsAlnum) {
		return
	}
	if value := text[lo:hi]; upperLower(value) && looksRandom(value) && has(value, clsDigit) {
		sc.emit(KindProviderKey, lo-2, hi)
	}
}

// rule turns one prefix of a form into a rule with examples made from it.
func (f keyForm) rule(prefix string) rule {
	class, longest := "an", min(f.max, 200)
	switch f.class {
	case clsHex:
		class = "hex"
	case clsUpper | clsDigit:
		class = "UPD"
	case clsLower | clsDigit:
		class = "b36"
	case clsBech32:
		class = "b32c"
	}
	if f.must != "" {
		class, longest = "an:12>"+f.must+"<"+class, longest-50
	}
	example := func(n int) string { return prefix + "<" + class + ":" + strconv.Itoa(n) + ">" }
	r := rule{name: f.name + " " + prefix, kind: f.kind, strict: f.min == f.max, find: f.find}
	r.removed = []string{"«" + example(f.min) + "»", "key: \"«" + example(longest) + "»\","}
	r.kept = []string{prefix}
	if !strings.HasSuffix(prefix, "=") {
		r.kept = append(r.kept, example(f.min/2-1))
	}
	if len(prefix) >= 3 {
		r.anchors = []string{prefix}
		return r
	}
	r.run = len(prefix) + f.min
	r.find = func(sc *scan, lo, hi int) {
		if strings.HasPrefix(sc.text[lo:hi], prefix) {
			f.find(sc, lo, lo+len(prefix))
		}
	}
	return r
}

func (f keyForm) find(sc *scan, lo, hi int) {
	text := sc.text
	if !f.open && lo > 0 && is(text[lo-1], clsAlnum) && !sc.seam(lo) {
		return
	}
	end := hi
	for end < len(text) && (is(text[end], f.class) || strings.IndexByte(f.extra, text[end]) >= 0) {
		end++
	}
	stop := end
	for stop > hi && strings.IndexByte("-_.%", text[stop-1]) >= 0 && stop-hi > f.min {
		stop--
	}
	if n := stop - hi; n < f.min || n > f.max || stop < len(text) && is(text[stop], clsAlnum) && !sc.seam(stop) ||
		!f.repetitive && repetitive(text[hi:stop]) || !strings.Contains(text[hi:stop], f.must) {
		return
	}
	if text[lo] == '.' { // the prefix stands inside the key
		lo = back(text, lo, clsAlnum)
	}
	sc.emit(cmp.Or(f.kind, KindProviderKey), lo, stop)
}
