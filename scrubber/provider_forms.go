package scrubber

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
