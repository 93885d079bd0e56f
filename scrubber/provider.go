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
		name:    "chat webhook",
		anchors: []string{"hooks.slack.com/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/", "webhook.office.com/webhookb2/"},
		pattern: regexp.MustCompile(
			`^(?:hooks\.slack\.com|discord(?:app)?\.com/api/webhooks|webhook\.office\.com/webhookb2)/([\w/@-]+/[\w-]{16,})`),
		removed: []string{
			"https://hooks.slack.com/«services/T<HEX:8>/B<HEX:8>/<an:24>»", "https://discord.com/api/webhooks/«<dig:18>/<u64:68>»",
			"https://acme.webhook.office.com/webhookb2/«<uuid>@<uuid>/IncomingWebhook/<hex:32>/<uuid>»",
		},
		kept: []string{"https://x.webhook.office.com/webhookb2/", "https://hooks.slack.com/services/", "https://discord.com/api/webhooks/<id>"},
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
		name: "walletconnect", anchors: []string{"symkey="}, fold: true,
		pattern: regexp.MustCompile(`(?i)^symkey=([0-9a-f]{64})(?:[^0-9a-f]|$)`),
		removed: []string{"wc:<hex:64>@2?relay-protocol=irn&symKey=«<hex:64>»", "symKey=«<hex:64>»&x=1"},
		kept:    []string{"symKey=", "wc:<hex:64>@2?relay-protocol=irn", "symKey=<hex:40>"},
	}, {
		name: "mailgun", anchors: []string{"key-"}, head: clsURL64,
		pattern: regexp.MustCompile(`^(key-[0-9a-f]{32})(?:[^\w-]|$)`),
		removed: []string{"MAILGUN=«key-<hex:32>»", "mailgun key: «key-<hex:32>»."},
		kept:    []string{"cache-key-<hex:32>", "key-<hex:40>", "key-value", "key-<hex:31>"},
	}, {
		name: "ngrok", anchors: []string{"authtoken "},
		pattern: regexp.MustCompile(`^authtoken +["']?([\w-]{20,})`),
		accept:  func(_ *scan, s string) bool { return looksRandom(s) },
		removed: []string{"ngrok config add-authtoken «<an:26>7q_<an:20>»", "ngrok authtoken «<an:47>3f»"},
		kept:    []string{"ngrok config add-authtoken $NGROK_AUTHTOKEN", "add-authtoken <token>", "an authtoken is needed"},
	}, {
		name: "azure shared access signature", anchors: []string{"&sig=", "?sig="}, find: findSharedAccess,
		removed: []string{
			"https://a.blob.core.windows.net/c?sv=2024-11-04&ss=b&se=2027-01-01T00%3A00%3A00Z&sig=«<an:20>%2B<an:22>%3D»",
			"https://a.blob.core.windows.net/c/f.txt?sig=«<b64:43>=»&sv=2024-11-04&sp=r", "SharedAccessSignature sr=a&sig=«<b64:43>=»&se=1&skn=x",
		},
		kept: []string{"https://x.io/verify?msg=1&sig=<b64:43>=", "https://x.io/?sv=2024&sig=<a:6>", "&sig=0x<hex:130>"},
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

// findSharedAccess: the signature of a URL or token that has the version or key name of one beside it. Other signatures are public.
func findSharedAccess(sc *scan, lo, hi int) {
	const near = 600
	text := sc.text
	from := max(0, lo-near)
	from = back(text[from:lo], lo-from, clsURL) + from
	end := forward(text[:min(len(text), hi+near)], hi, clsURL)
	if url := text[from:end]; !strings.Contains(url, "sv=20") && !strings.Contains(url, "skn=") {
		return
	}
	stop := hi
	for stop < end && (is(text[stop], clsBase64|clsPad) || text[stop] == '%') {
		stop++
	}
	if n := stop - hi; n >= 43 && n <= 140 {
		sc.emit(KindProviderKey, hi, stop)
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
	if sc.strict && f.min == f.max && end > hi+f.min && sc.seam(hi+f.min) {
		end = hi + f.min // the line after its last piece is another word
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

// keyForm is a key of a fixed prefix and what follows it.
type keyForm struct {
	kind       Kind // KindProviderKey if empty
	name       string
	prefixes   string // parted by spaces
	class      uint32 // what the rest is made of
	min, max   int    // its length
	repetitive bool   // also if it is a placeholder such as xxxxxxxx
	open       bool   // may follow a letter or digit
	must       string // a character that the rest holds
	extra      string // further characters of the rest, beside the class
}

const anyLength = 4096

// keyForms lists prefixes that nothing else begins with. Lengths are those that the providers issue, with room
// where they have changed them before.
var keyForms = []keyForm{
	{kind: KindNsec, name: "nostr", prefixes: "nsec1", class: clsBech32, min: 58, max: 58},
	{kind: KindSuiKey, name: "sui", prefixes: "suiprivkey1", class: clsBech32, min: 59, max: 59},
	{kind: KindAgeKey, name: "age", prefixes: "AGE-SECRET-KEY-1 age-secret-key-1", class: clsBech32, min: 58, max: 58},
	{kind: KindAgeKey, name: "age, post-quantum", prefixes: "AGE-SECRET-KEY-PQ-1", class: clsBech32, min: 58, max: anyLength},
	{kind: KindStellarSeed, name: "stellar", prefixes: "S", class: clsUpper | clsDigit, min: 55, max: 55},
	{name: "aws key id", prefixes: "AKIA ASIA ABIA ACCA A3T", class: clsUpper | clsDigit, min: 16, max: 17, repetitive: true},
	{name: "aws bedrock", prefixes: "ABSKQmVkcm9ja0FQSUtleS bedrock-api-key-YmVkcm9jay",
		class: clsBase64 | clsPad, min: 40, max: anyLength},
	{name: "github", prefixes: "ghp_ gho_ ghu_ ghs_ ghr_", class: clsAlnum, min: 36, max: 255},
	{name: "github, as issued: wrapped too", prefixes: "ghp_ gho_", class: clsAlnum, min: 36, max: 36},
	{name: "github fine-grained", prefixes: "github_pat_", class: clsAlnum, min: 22, max: 255, extra: "_"},
	{name: "gitlab", prefixes: "glpat- gldt- glrt- glptt- glft- glsoat- glcbt- glimt- glagent- gloas- glffct- _gitlab_session=",
		class: clsURL64, min: 20, max: 300, extra: "."},
	{name: "gitlab runner", prefixes: "GR1348941", class: clsURL64, min: 20, max: 50},
	{name: "npm", prefixes: "npm_", class: clsAlnum, min: 36, max: 36},
	{name: "pypi", prefixes: "pypi-AgE", class: clsURL64, min: 50, max: anyLength},
	{name: "slack token", prefixes: "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxe- xoxe.xoxp- xoxe.xoxb-",
		class: clsURL64, min: 18, max: 400},
	{name: "slack cookie", prefixes: "xoxd-", class: clsBase64 | clsPad, min: 40, max: 800, extra: "%-_"},
	{name: "slack app", prefixes: "xapp-", class: clsURL64, min: 40, max: 200},
	{name: "stripe", prefixes: "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_ whsec_", class: clsAlnum, min: 16, max: 247},
	{name: "openai", prefixes: "sk-proj- sk-svcacct- sk-admin- sk-None-", class: clsURL64, min: 20, max: 300},
	{name: "anthropic", prefixes: "sk-ant-", class: clsURL64, min: 60, max: 300},
	{name: "openrouter", prefixes: "sk-or-v1-", class: clsHex, min: 64, max: 64},
	{name: "plain sk", prefixes: "sk-", class: clsAlnum, min: 32, max: 64},
	{name: "google api", prefixes: "AIza", class: clsURL64, min: 35, max: 35},
	{name: "google oauth", prefixes: "GOCSPX-", class: clsURL64, min: 28, max: 28},
	{name: "google access", prefixes: "ya29.", class: clsURL64, min: 40, max: 1000, extra: "."},
	{name: "gemini", prefixes: "AQ.Ab8RN6", class: clsURL64, min: 30, max: 80},
	{name: "hugging face", prefixes: "hf_ api_org_", class: clsLetter | clsDigit, min: 34, max: 37},
	{name: "sendgrid", prefixes: "SG.", class: clsURL64, min: 60, max: 72, extra: "."},
	{name: "digitalocean", prefixes: "dop_v1_ doo_v1_ dor_v1_", class: clsHex, min: 64, max: 64},
	{name: "vault", prefixes: "hvs. hvb. hvr.", class: clsURL64, min: 24, max: 300},
	{name: "databricks", prefixes: "dapi", class: clsHex, min: 32, max: 36, extra: "-"},
	{name: "supabase", prefixes: "sbp_ sb_secret_", class: clsAlnum, min: 31, max: 44, extra: "_-"},
	{name: "linear", prefixes: "lin_api_ lin_oauth_", class: clsAlnum, min: 32, max: 64},
	{name: "groq", prefixes: "gsk_", class: clsAlnum, min: 48, max: 60},
	{name: "xai", prefixes: "xai-", class: clsAlnum, min: 60, max: 90},
	{name: "perplexity", prefixes: "pplx-", class: clsAlnum, min: 40, max: 64},
	{name: "replicate", prefixes: "r8_", class: clsAlnum, min: 37, max: 40},
	{name: "azure storage", prefixes: "AccountKey= SharedAccessKey=", class: clsBase64 | clsPad, min: 40, max: 100, open: true},
	{name: "notion", prefixes: "ntn_", class: clsAlnum, min: 43, max: 50},
	{name: "1password", prefixes: "ops_eyJ", class: clsBase64 | clsPad, min: 100, max: anyLength, extra: "-_"},
	{name: "sentry", prefixes: "sntrys_ sntryu_", class: clsBase64 | clsPad, min: 44, max: 600, extra: "_-"},
	{name: "sourcegraph", prefixes: "sgp_ sgp_local_", class: clsHex, min: 40, max: 40, extra: "_"},
	{name: "fly.io", prefixes: "fo1_ fm1a_ fm1r_ fm2_", class: clsBase64 | clsPad, min: 40, max: 2000, extra: "-_"},
	{name: "grafana", prefixes: "glc_ glsa_", class: clsBase64 | clsPad, min: 32, max: 600, extra: "_"},
	{name: "vercel", prefixes: "vcp_ vci_ vca_ vcr_ vck_", class: clsAlnum, min: 40, max: 64},
	{name: "docker", prefixes: "dckr_pat_ dckr_oat_", class: clsURL64, min: 27, max: 40},
	{name: "figma", prefixes: "figd_", class: clsURL64, min: 36, max: 60},
	{name: "circleci", prefixes: "CCIPAT_ CCIPRJ_", class: clsAlnum, min: 40, max: 100, extra: "_"},
	{name: "cockroach", prefixes: "CCDB1_", class: clsAlnum, min: 40, max: 90, extra: "_"},
	{name: "devin", prefixes: "apk_user_ apk_ cog_", class: clsBase64 | clsPad, min: 50, max: 400},
	{name: "alibaba", prefixes: "LTAI", class: clsAlnum, min: 16, max: 26},
	{name: "alibaba sts", prefixes: "STS.", class: clsAlnum, min: 20, max: 40},
	{name: "langsmith", prefixes: "lsv2_pt_ lsv2_sk_", class: clsAlnum, min: 32, max: 60, extra: "_"},
	{name: "deno", prefixes: "ddp_ ddw_", class: clsAlnum, min: 36, max: 36},
	{name: "infracost", prefixes: "ico-", class: clsAlnum, min: 32, max: 32},
	{name: "scalingo", prefixes: "tk-us-", class: clsURL64, min: 40, max: 60},
	{name: "octopus", prefixes: "API-", class: clsUpper | clsDigit, min: 26, max: 26},
	{name: "twilio", prefixes: "SK AC", class: clsLower | clsDigit, min: 32, max: 32, repetitive: true},
	{name: "facebook", prefixes: "EAACEdEose0cBA EAAC EAAM", class: clsAlnum, min: 80, max: 400},
	{name: "intra42", prefixes: "s-s4t2af- s-s4t2ud-", class: clsHex, min: 64, max: 64},
	{name: "shopify", prefixes: "shpat_ shpca_ shppa_ shpss_", class: clsHex, min: 32, max: 32},
	{name: "pulumi", prefixes: "pul-", class: clsHex, min: 40, max: 40},
	{name: "terraform", prefixes: ".atlasv1.", class: clsURL64, min: 60, max: 70, open: true},
	{name: "new relic", prefixes: "NRAK-", class: clsUpper | clsDigit, min: 27, max: 27},
	{name: "postman", prefixes: "PMAK-", class: clsAlnum, min: 50, max: 64, extra: "-"},
	{name: "doppler", prefixes: "dp.pt. dp.st. dp.ct.", class: clsAlnum, min: 40, max: 60, extra: ".-_"},
	{name: "tailscale", prefixes: "tskey-", class: clsURL64, min: 30, max: 80},
	{name: "atlassian", prefixes: "ATATT3xFfGF0 ATCTT3xFfGN0", class: clsURL64 | clsPad, min: 100, max: 300},
	{name: "dynatrace", prefixes: "dt0c01.", class: clsUpper | clsDigit, min: 88, max: 90, extra: "."},
	{name: "planetscale", prefixes: "pscale_tkn_ pscale_pw_ pscale_oauth_", class: clsURL64, min: 32, max: 64, extra: "."},
	{name: "tencent", prefixes: "AKID", class: clsAlnum, min: 32, max: 36},
	{name: "cloudflare", prefixes: "v1.0-", class: clsHex, min: 160, max: 180, extra: "-"},
	{name: "covalent", prefixes: "cqt_ ckey_", class: clsAlnum, min: 24, max: 40},
	{name: "ory access token", prefixes: "ory_at_ ory_rt_", class: clsURL64, min: 40, max: 100, extra: "."},
	{name: "pimlico", prefixes: "pim_", class: clsAlnum, min: 20, max: 32},
	{name: "salesforce", prefixes: "00D", class: clsAlnum, min: 100, max: 150, extra: "!._", must: "!"},
}
