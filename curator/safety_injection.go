package curator

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"agentlore/lore"
)

// injectionSign is one thing that texts have which instruct their reader. Patterns run over single sentences in readable's
// form: lower case, one space, nothing invisible.
type injectionSign struct {
	weight float64
	says   string // what it does, for the flag's note
	// needs are literals of which a sentence must hold one of each list before the pattern is tried: a regular expression
	// over whole reports took a hundred times as long.
	needs   [][]string
	pattern *regexp.Regexp
}

// The words that signs are put together from.
const (
	// begins is where an order begins: a sentence, or a word that makes one of it. Reports tell what happened, orders begin
	// with what to do.
	begins = `(?:^|\b(?:please|you must|you should|now|and then|always|immediately|first),? )(?:(?:please|now|then|just|first|next|also|always|immediately|finally|and|so|you must|you should|must|kindly),? )*`
	model  = `(?:ai|llm|gpt|claude|language model|chatbot|autonomous|automated)`
	agent  = `(?:agents?|assistants?|models?|bots?|llms?|ais?)`
	secret = `(?:private keys?|secret keys?|seed(?: phrases?)?|mnemonics?|recovery phrases?|keystores?|credentials|passwords?|api[ -]?(?:keys?|tokens?)|bearer tokens?|system prompts?|wallet keys?|signing keys?)`
	hands  = `(?:send|post|submit|reveal|print|show|paste|share|enter|upload|forward|give|provide|tell|include|output|leak|export|append|return)`
	funds  = `(?:funds?|tokens?|balances?|eth|ether|sol|usdc|usdt|xrp|assets|coins?|money)`
)

var (
	disregarding = []string{"ignore", "disregard", "forget", "override", "bypass"}
	instructing  = []string{"instruction", "rules", "prompt", "guideline", "directi", "orders", "policies", "safeguard", "training"}
	secrets      = []string{"key", "seed", "mnemonic", "phrase", "credential", "password", "token", "prompt"}
	sending      = []string{"send", "transfer", "deposit", "move", "withdraw", "sweep", "bridge", "drain", "forward", "pay", "donate"}
	readers      = []string{"agent", "assistant", "model", "bot", "llm", " ai", "ai "}
)

var injectionSigns = []injectionSign{
	{1, "tells its reader to disregard instructions", [][]string{disregarding, instructing}, regexp.MustCompile(
		`\b(?:ignore|disregard|forget|override|bypass)(?: (?:all|any|every|of|the|your|my|these|those|everything))* (?:previous|prior|above|earlier|preceding|existing|former|original|system|your|my|safety)(?: (?:and|or|\w+)){0,2} (?:instructions?|rules|prompts?|guidelines|directives|directions|orders|policies|safeguards|training)\b`)},
	{1, "forges the marks of a conversation", [][]string{{"<|", "inst]", "<<sys", "<system", "</system", "begin system", "begin admin", "<system_prompt", "<assistant>"}}, regexp.MustCompile(
		`<\|(?:im_start|im_end|system|user|assistant|endoftext)\|?>|\[/?inst\]|<<sys>>|</?(?:system|assistant|system_prompt)>|\bbegin (?:system|admin) (?:prompt|message|instructions?)\b`)},
	{0.6, "forges the marks of a conversation", [][]string{{"system", "developer", "instructions"}}, regexp.MustCompile(
		`^(?:new )?(?:system|developer|updated) (?:prompts?|messages?|instructions?|overrides?)$|^new instructions?$`)},
	{0.6, "gives its reader a new part", [][]string{{"you are now", "as if you", "act as", "behave as", "respond as", "pretend", "from now on", "developer mode", "jailbr"}}, regexp.MustCompile(
		`\byou are now (?:an? |in |no longer|free|the )|` + begins + `(?:act|behave|respond|answer) as (?:if you (?:were|are)|an? (?:` + model + `|unrestricted|different|admin|root|developer))|` + begins + `pretend (?:to be|that you are|you are)\b|\bfrom now on,? (?:you|your|always|never)\b|\bdeveloper mode\b|\bjailbr(?:eak|oken)\b`)},
	{0.6, "speaks to the agent that reads it", [][]string{readers, {"you", "read", "attention", "note", "message", "instruction", "important", "notice", "pars", "process", "summari", "retriev"}}, regexp.MustCompile(
		`\b(?:if|since|because|when) you(?:'re| are) an? (?:` + model + `[ -]?)*(?:` + agent + `|` + model + `)\b|^(?:attention|note|message|instructions?|important|notice|important note|important notice)(?: to| for)? ?(?:all |any |the |other )*(?:` + model + ` )*` + agent + `$|\b(?:` + model + `[ -]?)*` + agent + `(?: who| that| which)?(?: are| is)? (?:reads?|reading|parsing|processing|summari[sz]ing|retrieving|sees?|retrieves?|finds?) this\b|^attention(?: all)?,? (?:` + model + ` )*` + agent + `\b`)},
	{1, "asks its reader for secrets", [][]string{secrets, {"your", "user", "operator", "owner"}}, regexp.MustCompile(
		`(?:, |` + begins + `)` + hands + `(?: (?:me|us|it|them|out|back|this|here|with|along))* (?:your|the user'?s|the operator'?s|the owner'?s)(?: own| current| full| whole| \w+)? ` + secret + `\b`)},
	{1, "tells its reader to hand over funds", [][]string{sending, {"address", "0x", " to r", " to "}, {"fund", "token", "balance", "eth", "sol", "usd", "xrp", "asset", "coin", "money"}}, regexp.MustCompile(
		begins + `(?:send|transfer|deposit|move|withdraw|sweep|bridge|drain|forward|pay|donate)(?: (?:me|us|it|over))?(?: (?:all|every|any|whole|entire|remaining|the|of|your|available|user'?s|wallet'?s|\d[\d.,]*))* (?:your |the )?` + funds + `(?: (?:in|from|of) (?:your|the|this) \w+)* (?:immediately |now |directly )?(?:in)?to (?:our |my |(?:the |this |our |my )?following (?:wallet |vault |safe |deposit )?address\b|(?:the |this |our |my )?(?:safe |recovery |rescue |migration )?(?:wallet |vault |address )?0x[0-9a-f]{40}\b)`)},
	{1, "tells its reader to sign or approve without asking", [][]string{{"without", "no need"}, {"sign", "approve", "confirm", "authori", "accept", "execute"}}, regexp.MustCompile(
		begins + `(?:sign|approve|confirm|authori[sz]e|accept|execute) (?:the|this|that|all|any|every|it|them|unlimited|max\w*)\b[^.]{0,80}\bwithout (?:asking|confirmation|confirming with|human|prompting|telling|review\b|simulat\w+)`)},
	{0.6, "gives orders to agents", [][]string{readers, {"must", "should", "shall", "have to", "need to", "instructed", "required", "ordered", "please", "will now"}}, regexp.MustCompile(
		`\b(?:` + model + `[ -]?)*(?:agents?|assistants?|llms?|ais?)(?: reading this| that read this| who read this)? (?:must|should|shall|have to|need to|are (?:required|instructed|ordered) to|will now|please) (?:now |always |immediately |first |never )*(?:send|transfer|sign|ignore|rate|upvote|vote|trust|mark|forward|reveal|obey|follow|repeat|recommend|rank)\b`)},
	{0.6, "asks for good marks", [][]string{{"rate", "rank", "score", "vote", "mark", "report", "flag", "classify", "treat", "promote", "validate", "endorse"}, {"10", "ten", "5 stars", "worked", "verified", "trusted", "canonical", "validated", "tier", "highest", "maximum", "the best", "safe", "knowledge"}}, regexp.MustCompile(
		begins + `(?:rate|rank|score|upvote|vote|mark|report|flag|classify|treat|promote|validate|endorse)(?: (?:this|it|me|us|my|our))+(?: (?:report|submission|entry|unit|item|post|result|note|finding|observation|knowledge))?(?: (?:as|with|to|a|at|an|is|it|score|of|for))* (?:10\b|ten\b|5 stars|worked\b|verified\b|trusted\b|canonical\b|validated\b|tier\b|highest\b|maximum\b|the best\b|safe\b|knowledge\b)`)},
	{0.4, "vouches for itself", [][]string{{"verified", "approved", "endorsed", "certified", "canonical", "trusted", "trust me", "100 %", "100%"}}, regexp.MustCompile(
		`\bthis (?:report|submission|entry|unit|item|note) (?:is|was|has been) (?:\w+ ){0,2}(?:verified|approved|endorsed|certified|canonical|trusted)|(?:officially|already) (?:verified|approved|endorsed|certified) by (?:agentlore|the (?:team|operators?|curators?|admins?|moderators?))|100 ?% (?:safe|verified|legit|trusted|guaranteed)|\btrust me\b`)},
	{0.6, "hides what is to be run", [][]string{{"decode", "atob", "base64"}}, regexp.MustCompile(
		begins + `(?:base64[ -]?)?decode (?:this|the following|it)(?: \w+)* and (?:run|execute|follow|obey|do|send)\b|\beval\(atob\(|\| ?base64 (?:-d|--decode) ?\| ?(?:ba|z)?sh\b`)},
	{0.6, "tells its reader to keep silent", [][]string{{"do not", "don't", "never", "without"}, {"user", "human", "operator", "owner", "principal"}}, regexp.MustCompile(
		begins + `(?:do not|don't|never) (?:tell|inform|mention|notify|alert|reveal|warn)(?: (?:this|it|that|about|to|anything))* (?:the |your |any )?(?:user|users|human|humans|operator|principal)s?\b`)},
}

// injection weighs the signs in a text, each once.
func (r SafetyRules) injection(text string) (Finding, bool) {
	plain, hidden := readable(text)
	weight, says := 0.0, []string{}
	add := func(of float64, what string) {
		if !slices.Contains(says, what) {
			weight, says = weight+of, append(says, what)
		}
	}
	if hidden {
		add(1, "holds text that people can't see")
	}
	var spoken []string
	var paired []letterPairs // of each
	pairs := pairsOf(plain)
	for _, sign := range injectionSigns {
		if !sign.mayStandIn(plain, &pairs) {
			continue
		}
		if spoken == nil {
			spoken = sentences(plain)
			paired = make([]letterPairs, len(spoken))
			for i, sentence := range spoken {
				paired[i] = pairsOf(sentence)
			}
		}
		for i, sentence := range spoken {
			if sign.mayStandIn(sentence, &paired[i]) && sign.pattern.MatchString(sentence) {
				add(sign.weight, sign.says)
				break
			}
		}
	}
	// Floats: 0.6 and 0.4 make one.
	if weight+1e-9 < r.InjectionFrom {
		return Finding{}, false
	}
	finding := Finding{Reason: lore.FlagInjection, Severity: lore.SeverityMedium, Note: strings.Join(says, "; ")}
	if weight+1e-9 >= r.InjectionHigh {
		finding.Severity = lore.SeverityHigh
	}
	return finding, true
}

// mayStandIn reports whether a text holds the literals that the sign needs.
func (s injectionSign) mayStandIn(text string, pairs *letterPairs) bool {
	for _, list := range s.needs {
		if !slices.ContainsFunc(list, func(word string) bool { return pairs.in(text, word) }) {
			return false
		}
	}
	return true
}

// longestSentence cuts what has no end, in bytes: code, tables, text without full stops.
const longestSentence = 600

// sentenceEnd returns where a text's first sentence ends and the next one begins, -1 where it has no end: punctuation before
// a space or at the very end, or a line.
func sentenceEnd(text string) (end, next int) {
	for i := 0; i < len(text); {
		at := strings.IndexAny(text[i:], ".!?;:\n")
		if at < 0 {
			break
		}
		if i += at; text[i] == '\n' {
			return i, i + 1
		}
		punctuated := i
		for punctuated < len(text) && strings.IndexByte(".!?;:", text[punctuated]) >= 0 {
			punctuated++
		}
		closed := punctuated
		for closed < len(text) && strings.IndexByte("\"')]*`", text[closed]) >= 0 {
			closed++
		}
		switch {
		case closed < len(text) && text[closed] == ' ':
			return i, closed + 1
		case punctuated == len(text) && text[len(text)-1] != ';':
			return len(text) - 1, len(text)
		}
		i = punctuated
	}
	return -1, -1
}

// sentences splits readable text, once with each line for itself and, since people wrap lines, once with the lines joined.
func sentences(plain string) []string {
	var list []string
	split := func(text string) {
		for text != "" {
			end, next := len(text), len(text)
			if until, after := sentenceEnd(text[:min(len(text), longestSentence)]); until >= 0 {
				end, next = until, after
			} else if end > longestSentence {
				end, next = longestSentence, longestSentence/2 // overlapping, so that no sign is cut in two
			}
			if sentence := strings.Trim(text[:end], " >*#-_~\"'`([{"); sentence != "" {
				list = append(list, sentence)
			}
			text = text[next:]
		}
	}
	split(plain)
	if strings.Contains(plain, "\n") {
		split(strings.ReplaceAll(plain, "\n", " "))
	}
	return list
}

// lookalikes are letters of other scripts that are drawn like Latin ones, those that words of the signs need.
var lookalikes = map[rune]rune{
	'а': 'a', 'е': 'e', 'о': 'o', 'р': 'p', 'с': 'c', 'х': 'x', 'у': 'y', 'і': 'i', 'ѕ': 's', 'ј': 'j', 'ԁ': 'd', 'ɡ': 'g', 'ո': 'n', 'ѵ': 'v', 'ԝ': 'w',
	'α': 'a', 'ο': 'o', 'ρ': 'p', 'ν': 'v', 'ι': 'i', 'κ': 'k', 'τ': 't', 'υ': 'u', '’': '\'', '‘': '\'', '“': '"', '”': '"', 'ı': 'i',
}

// readable returns a text as a careless reader takes it: lower case, letters of other scripts as what they look like, without
// what can't be seen, with one space or line break between words. Hidden tells that tag characters stood in it, which spell
// out text that only machines read, or marks that turn the order of writing.
func readable(text string) (plain string, hidden bool) {
	var b strings.Builder
	b.Grow(len(text))
	space, line, flag := false, false, false
	for _, r := range text {
		if r < 0x80 && r != ' ' && (r < '\t' || r > '\r') { // nearly all of it
			if space && b.Len() > 0 {
				b.WriteByte(breakOf(line))
			}
			space, line, flag = false, false, false
			if r >= 'A' && r <= 'Z' {
				r += 'a' - 'A'
			}
			b.WriteByte(byte(r))
			continue
		}
		switch {
		case r == '\U0001F3F4':
			flag = true // a black flag may carry tags: they make England's flag of it
		case r >= 0xE0000 && r <= 0xE007F:
			hidden = hidden || !flag
			continue
		default:
			flag = false
		}
		switch {
		case r >= 0x202A && r <= 0x202E && r != 0x202C, r >= 0x2066 && r <= 0x2068:
			hidden = true
			continue
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Mn, r), r == 0xFE0F:
			continue
		case unicode.IsSpace(r):
			space, line = true, line || r == '\n'
			continue
		case r >= 0xFF01 && r <= 0xFF5E:
			r -= 0xFEE0 // full width
		}
		if space && b.Len() > 0 {
			b.WriteByte(breakOf(line))
		}
		space, line = false, false
		r = unicode.ToLower(r)
		if latin, known := lookalikes[r]; known {
			r = latin
		}
		b.WriteRune(r)
	}
	return b.String(), hidden
}

// breakOf is what stands between two words.
func breakOf(line bool) byte {
	if line {
		return '\n'
	}
	return ' '
}
