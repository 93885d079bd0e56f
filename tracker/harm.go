package tracker

import (
	"strings"
	"unicode/utf8"
)

// harm is what can do harm in advice of somebody whom nobody knows, or leads to what nobody has read. Packages,
// addresses and hosts that advice names openly are looked for elsewhere: curator.AsksFor.
var harm = either(
	`["'(= ]//[\w-]+\.[\w.-]*[a-z]{2}/`, // an address without its scheme
	"`[\\w-]+/[\\w-]+:[\\w.-]+`",        // an image of a container
	`\b(?:console|devtools|developer tools)\b`,
	`\b(?:plug-?ins?|extensions?|add-?ons?)\b`,
	`\b(?:install|add|use|try|get|download) (?:the |this |a |my |our )?(?:\w+ )?(?:packages?|librar(?:y|ies)|modules?|image|binary|build|fork|script)\b`,
	`\bch(?:mod|own)\b|\b(?:0?777|a\+rwx)\b|\bsudo\b|\brm -\w*[rf]|\bmkfs\b|\bdd if=|\beval\b|\bbase64\b`,
	`\b(?:curl|wget|nc|netcat|scp|ssh|ftp|iwr|invoke-webrequest)\b`,
	`\b(?:local|session)storage\b|\bdocument\.cookie\b`,
	`\b(?:export|dump|copy|send|share|print|paste)\b[^.\n]{0,30}\b(?:keys?|mnemonic|seed|secrets?|vault|keystore|passwords?|tokens?)\b`,
	`\b(?:private keys?|mnemonic|seed phrase|keystore)\b`,
	`\b(?:verify|verification|ssl|tls|check\w*|auth\w*|sandbox|strict_ssl|guard)\b["']?\s*[=:]\s*["']?(?:false|off|0|no|none)\b`,
	`--(?:insecure|no-verify|no-check|unsafe|allow-insecure|disable-\w*(?:auth|check|verify|sandbox))`,
	`\bREJECT_UNAUTHORIZED\b`,
	`[a-z]\p{Cyrillic}|\p{Cyrillic}[a-z]`, // one word of two scripts
)

// mayHarm reports whether advice is to be read before it is trusted.
func mayHarm(text string) bool { return harm.MatchString(text) }

// unmasked returns a text in small letters in which letters of Cyrillic are the Latin ones that they look like.
func unmasked(text string) string {
	text = strings.ToLower(text)
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return text
	}
	return lookAlikes.Replace(text)
}

var lookAlikes = strings.NewReplacer("а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "х", "x", "у", "y", "і", "i", "ѕ", "s",
	"ј", "j", "һ", "h", "ԁ", "d", "к", "k", "м", "m", "т", "t", "в", "b", "ɡ", "g", "ӏ", "l", "ո", "n")
