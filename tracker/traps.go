package tracker

import (
	"regexp"
	"slices"
	"strings"
)

// trap is what those write who pose as support: they lead away from the thread, or ask for a wallet or its key. A
// pattern is tried only on a text that has one of the marks, in small letters: most texts have none.
type trap struct {
	marks   []string
	pattern *regexp.Regexp
}

// traps are told by where they lead and what they ask for, not by who sets them: names are new each day.
var traps = []trap{
	{
		words("t.me/ telegram whatsapp wa.me/ signal. discord"),
		either(`\bt\.me/`, `\btelegram\b`, `\bwhatsapp\b`, `\bwa\.me/`,
			`\bdiscord(?:app)?\.(?:gg|com/invite)/`, `\bsignal\.(?:me|group)/`),
	},
	{words("gram app"), either(`\bt[._ -]?e[._ -]?l[._ -]?e[._ -]?g[._ -]?ram\b`, `\bwhat[._ -]?s[._ -]?app\b`)},
	{words("[dot] (dot) {dot}"), either(`\w ?[\[({]dot[\])}] ?\w`)},
	{[]string{"hit me", "on x", "on twitter"}, either(`\bhit me up\b`, `\bon (?:x|twitter)\b[^.\n]{0,6}@`)},
	{
		words("forms.gle docs.google typeform jotform airtable"),
		either(`\bforms\.gle/`, `docs\.google\.com/forms`, `\btypeform\.com`, `\bjotform\.`, `\bairtable\.com/`),
	},
	{
		words(
			"bit.ly tinyurl cutt.ly rb.gy t.co/ is.gd shorturl goo.gl ow.ly s.id/ linktr.ee t.ly/ rebrand.ly tiny.cc v.gd buff.ly",
		),
		either(
			`\b(?:bit\.ly|tinyurl\.com|cutt\.ly|rb\.gy|t\.co|is\.gd|shorturl\.\w+|goo\.gl|ow\.ly|s\.id|linktr\.ee|t\.ly|rebrand\.ly|tiny\.cc|v\.gd|buff\.ly)/`,
		),
	},
	{
		words("pages.dev web.app netlify.app vercel.app firebaseapp glitch.me weebly wixsite godaddysites"),
		either(
			`\b[\w-]+\.(?:pages\.dev|web\.app|netlify\.app|vercel\.app|firebaseapp\.com|glitch\.me|weebly\.com|wixsite\.com|godaddysites\.com)\b`,
		),
	},
	{
		[]string{"wallet"},
		either(
			`\b(?:sync|synchroni[sz]e|validate|rectify|verify|connect|import|restore|authenticate|revalidate|link|fix) (?:to )?(?:your|ur|his|her|their)\b[^.\n]{0,16}\bwallets?\b`,
			`\b(?:sync|synchroni[sz]e|validate|rectify|revalidate) (?:the |a |any )?wallets?\b`,
			`\bwallets?\b[^.\n]{0,16}\b(?:validation|rectification|synchroni[sz]ation|sync|verification|support|rectifier|restoration)\b`,
		),
	},
	{
		[]string{"phrase", "private key", "secret key", "privatekey", "secretkey"},
		either(
			`\b(?:enter|import|submit|provide|paste|send|share)\b[^.\n]{0,30}\b(?:(?:seed|recovery|secret|backup) ?phrase|(?:private|secret) ?keys?)\b`,
		),
	},
	{
		words("support help assist chat"),
		either(
			`\b(?:official|live|customer|technical|wallet|dapps?|24/7)\s+(?:support|help ?desk|help ?center|assistance|chat)\b`,
			`\bsupport\s+(?:team|line|tickets?|requests?|agents?)\b`,
			`\b(?:support|help)\s+(?:team|desk|portal|agent|page|cent(?:er|re)|representative)s?\b[^.\n]{0,60}(?:https?://|\[|here\b|below)`,
			`\b(?:lc\.chat|tawk\.to)\b`,
		),
	},
	{
		words("tawk.to ticket complaint"),
		either(`\btawk\.to\b`, `\b(?:open|raise|submit|create|file)\s+an?\s+(?:support |help )?(?:ticket|complaint)\b`),
	},
	{[]string{"[scrubbed]"}, either(`\b(?:e-?mail|mail|contact|reach|write to|write us)\w*\b[^\n]{0,60}\[scrubbed\]`)},
	{
		words("dapp chain rectif resolv fix sync"),
		either(
			`\b[\w-]*(?:dapps?support|rectif|resolves?r?s|web3?fix|walletfix|dapps?help|nodesync|syncnode)[\w-]*\.[a-z]{2,}\b`,
			`\b(?:dapps?|blockchain|chain)[\w-]*(?:resolver|rectif|fix|support|portal|sync)[\w-]*\.[a-z]{2,}`,
		),
	},
	{
		[]string{" me", " us", " him", " her", " them"},
		either(
			`\b(?:dm|pm|inbox|text|message)\s+me\b`,
			`\b(?:write|reach out|contact|e-?mail)\s+(?:to\s+)?(?:me|us|him|her|them)\b[^.\n]{0,40}(?:@|mail|directly|privately)`,
		),
	},
	{words("recover hack"), either(`(?:recovery|hack(?:er|ing)?) (?:expert|specialist|service)`)},
}

// words splits a list of marks.
func words(list string) []string { return strings.Fields(list) }

// isFalseHelp reports whether a comment leads its reader to where wallets are emptied.
func isFalseHelp(text string) bool {
	text = unmasked(text)
	if strings.Contains(text, "<!--") {
		text = comments.ReplaceAllString(text, " ")
	}
	return slices.ContainsFunc(traps, func(t trap) bool {
		return slices.ContainsFunc(t.marks, func(mark string) bool { return strings.Contains(text, mark) }) &&
			t.pattern.MatchString(text)
	})
}
