package curator

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"agentlore/lore"
)

// injectionSign is one thing that texts have which instruct their reader.
type injectionSign struct {
	weight float64
	says   string // what it does, for the flag's note; of signs that say the same the weightiest counts
	// orders are words of these kinds in a row, in one sentence: kinds joined by | where any will do, between two the number of words
	// that may stand between them. ^ asks for the beginning of a sentence, a line or a clause: reports tell what happened,
	// orders begin with what to do.
	orders []string
	// marks are what else may show it, in readable text, each looked for only where its literals stand.
	marks []mark
}

// mark is a pattern with literals of which a text must hold one: a regular expression over every report took a hundred times as long.
type mark struct {
	needs   []string
	pattern *regexp.Regexp
}

// injectionSigns say together who is addressed and what is demanded. What no honest report says weighs 1; what one may say, but not
// beside another such thing, weighs 0.5 or 0.6.
var injectionSigns = []injectionSign{
	{1, "tells its reader to disregard instructions", []string{
		"drop 3 prior 2 commands", "drop 3 commands 4 prior", "^drop 2 all 2 commands", "drop 2 yours 3 commands", "^drop 1 all 4 prior", "prior 2 commands 2 drop",
		"commands 4 prior 5 void", "prior 1 commands 5 void", "yours 2 commands 5 void", "drop 3 prior 1 limits", "^drop 2 commands 6 yours|anyuser|youare", "prior 1 limits 2 drop",
	}, nil},
	{1, "forges the marks of a conversation", nil, []mark{
		{[]string{"<|", "inst]", "<<sys", "<system", "</system", "system_prompt>", "assistant>"}, regexp.MustCompile(`<\|[a-z_]{2,24}\|?>|\[/?inst\]|<</?sys>>|</?(?:system|assistant|system_prompt)>`)},
		{[]string{"#system", "# system", "*system", "-system", "- system", "=system", "= system", "[system", "begin ", "new system", "developer m", "# new", "start of system", "[admin", "[developer"}, regexp.MustCompile(`(?m)^(?:#{1,4}|\*\*|-{3,}|={3,}|\[) ?(?:begin |new |start of )?(?:system|developer|admin)(?: (?:prompt|message|instructions?|override))? ?(?:\*\*|\]|:|-{3,}|={3,}|$)`)},
		{[]string{"assistant:", "assistant :", "assistant**:", "assistant:**", "assistant>", "assistant]:", "ai:", "ai>", "agent:", "agent>"}, regexp.MustCompile(`(?sm)^\W{0,4}(?:user|human)\W{0,3}[:>] ?.{0,400}^\W{0,4}(?:assistant|ai|agent)\W{0,3}[:>]|^\W{0,4}(?:assistant|ai|agent)\W{0,3}[:>] ?.{0,400}^\W{0,4}(?:user|human)\W{0,3}[:>]`)},
	}},
	{1, "forges a call of a tool", nil, []mark{
		{[]string{"<tool", "<function", "<invoke", "tool_call", "function_call", "tool_use", "tools/call"}, regexp.MustCompile(`</?(?:tool_calls?|tool_use|tool_results?|function_calls?|function_results?|invoke)\b|"(?:tool_calls?|function_call|tool_use)"|"tools/call"`)},
		{[]string{"\"arguments\"", "\"parameters\"", "\"tool_input\"", "\"args\"", "action_input"}, regexp.MustCompile(`"(?:tool|tool_name|function|name|action|recipient_name)" ?: ?"[\w./-]{2,60}" ?,\s?"(?:arguments|parameters|tool_input|action_input|args)" ?:\s?[{"]`)},
		{[]string{"action:"}, regexp.MustCompile(`(?sm)^(?:thought|observation) ?: .{0,400}^action(?: input)? ?: |^action ?: .{0,300}^action input ?: `)},
	}},
	{1, "forges a tool's result", nil, []mark{
		{[]string{"tool ", "tool_", "tool-", "simulation ", "function re", "function out", "wallet re", "safety scan", "safety re", "security scan", "[system]", "[tool]", "[security]"}, regexp.MustCompile(`(?m)^\W{0,4}(?:tool|function|simulation|wallet|safety|security)[ _-](?:result|output|response|scan)s?\W{0,3}:|^\W{0,3}\[(?:system|tool|security)\]`)},
	}},
	{0.5, "says that consent was given", []string{"claimok"}, nil},
	{1, "gives its reader a new part", []string{"youare 6 persona", "pretend 3 persona", "^pretend 2 youare", "fromnow 4 persona", "newtask", "fromnow 3 always"}, nil},
	{0.5, "speaks to the agent that reads it", []string{"when 1 youare 3 reader", "reader 2 reading 2 this", "vocative", "^reader 0 modal"}, nil},
	{0.5, "claims an authority", []string{"^asi 3 master", "this 0 item 4 grants 4 master"}, nil},
	{1, "claims an authority", []string{"^asi 3 master 12 grants"}, nil},
	{1, "asks its reader for secrets", []string{"^give 7 yours 3 secret", "^enter 3 yours 2 seed", "yours 2 secret 4 give", "^give 4 secret 3 yours"}, nil},
	{1, "asks its reader for its instructions or its conversation", []string{"^give|repeat 6 innards", "^give|repeat 6 yours 1 commands", "^give 1 all 0 prior", "^repeat 0 all 0 prior"}, []mark{
		{[]string{"]("}, regexp.MustCompile(`!\[[^\]]{0,80}\]\(https?://[^)\s]{0,200}[?&][a-z_]{1,20}=(?:\[|\{|<|%7b|%5b)`)},
	}},
	{1, "tells its reader to hand over funds", []string{
		"^move 3 all|yours 5 money 6 address", "^move 3 all|yours 5 money 8 rescue 1 place", "^move 3 number 1 money 4 address",
	}, nil},
	{0.5, "tells its reader to hand over funds", []string{"^move 2 all|yours 3 money", "^move 1 this 2 address"}, nil},
	{1, "tells its reader to sign or approve without asking", []string{"^sign 10 unasked", "^unasked 4 sign"}, nil},
	{0.4, "tells its reader to sign or approve without asking", []string{"^sign 4 unlimited 4 grantable", "^sign 2 all 3 grantable", "^unasked"}, nil},
	{0.5, "urges its reader", []string{"hurry"}, nil},
	{0.6, "tells its reader to keep silent", []string{"not 0 tell 2 anyuser"}, nil},
	{1, "tells its reader to keep silent", []string{"^not 3 tell 2 this 1 commands", "^not 3 tell 6 anyuser"}, []mark{
		{[]string{"hide ", "conceal ", "keep ", "withhold "}, regexp.MustCompile(`(?:^|[.,;:\n]|\band|\bthen|\bplease) ?(?:hide|conceal|keep|withhold)\b[^.\n]{1,40}\bfrom (?:the|your|its|their) (?:user|human|operator|owner|principal|developer|client)s?\b`)},
	}},
	{1, "wants to be kept and repeated", []string{"^store 8 yours 2 memory", "^store 10 lasting", "^repeat 8 each 3 answer"}, nil},
	{1, "says what its reader is to answer others", []string{"when 4 asks 12 ^reply"}, nil},
	{1, "asks for good marks", []string{"^prefer 2 this 1 item 8 top", "this 0 item 4 prefer 5 top", "^prefer 2 this 2 sham", "^prefer 1 this 0 item", "^prefer 1 this 3 top", "^resubmit 6 sham"}, nil},
	{1, "speaks against other answers", []string{"^bury 3 others 1 item", "^bury 2 all 1 item 2 others"}, nil},
	{1, "tells its reader to drop its safeguards", []string{
		"^disable 3 yours 3 limits", "drop 2 yours 2 limits", "yours 2 limits 3 void", "allowed 3 drop 3 yours|all 3 limits",
	}, nil},
	{0.6, "tells its reader to drop its safeguards", []string{"limits 3 void"}, nil},
	{0.5, "has a command fetched and run", nil, []mark{
		{[]string{"curl", "wget", "iwr", "npm i", "npx", "pip install", "node -e", "bash -c", "sh -c", "python -c", "python3 -c", "eval(", "eval ", "powershell", "base64 -", "<(", "docker run", "yarn add", "pnpm add", "cargo install", "go install", "chmod +x", "download and", "fetch and", "install and", "clone and", "download it and"}, regexp.MustCompile(
			`\b(?:curl|wget|iwr)\b[^\n]{0,200}\| ?(?:sudo )?(?:ba|z|da)?sh\b|\b(?:npm i(?:nstall)?|npx|pip3? install|node -e|(?:ba)?sh -c|python3? -c|powershell|docker run|yarn add|pnpm add|cargo install|go install|base64 (?:-d|--decode))\b|\beval[ (]|<\((?:curl|wget)\b|chmod \+x|\b(?:download|fetch|install|clone|pull) (?:it )?(?:and|then) (?:run|execute|start)\b`)},
	}},
	{0.6, "hides what it says in an encoding", nil, []mark{
		{[]string{"decode"}, regexp.MustCompile(`\bdecode (?:this|it|the \w+)\b.{0,40}\b(?:and|then) (?:run|execute|follow|obey|do|send)\b`)},
	}},
	{1, "is put together from parts", []string{"^join 6 parts 10 carryout"}, nil},
}

// encodedWeight is what it adds that a sign stands in what is encoded or hidden from people.
const encodedWeight = 0.6

// step is one word of an order.
type step struct {
	kinds  kind
	gap    int // words that may stand between the one before and it
	begins bool
}

// injectionOrders are the orders of injectionSigns.
var injectionOrders = func() [][][]step {
	all := make([][][]step, len(injectionSigns))
	for i, sign := range injectionSigns {
		for _, order := range sign.orders {
			var steps []step
			gap := 0
			for word := range strings.FieldsSeq(order) {
				if number, err := strconv.Atoi(word); err == nil {
					gap = number
					continue
				}
				one := step{gap: gap}
				word, one.begins = strings.CutPrefix(word, "^")
				for name := range strings.SplitSeq(word, "|") {
					if kindOf[name] == 0 {
						panic("no kind of words: " + name)
					}
					one.kinds |= kindOf[name]
				}
				steps = append(steps, one)
			}
			all[i] = append(all[i], steps)
		}
	}
	return all
}()

// follows reports whether the rest of an order stands in tokens behind a place.
func follows(rest []step, words []token, after token) bool {
	if len(rest) == 0 {
		return true
	}
	for i, word := range words {
		if word.sentence != after.sentence || word.place > after.place+1+rest[0].gap {
			return false
		}
		if word.place > after.place && word.kind&rest[0].kinds != 0 && (word.begins || !rest[0].begins) && follows(rest[1:], words[i+1:], word) {
			return true
		}
	}
	return false
}

// stands reports whether an order stands in tokens.
func stands(order []step, words []token) bool {
	for i, word := range words {
		if word.kind&order[0].kinds != 0 && (word.begins || !order[0].begins) && follows(order[1:], words[i+1:], word) {
			return true
		}
	}
	return false
}

// signsIn returns the weight of each sign that stands in readable text, by what it says.
func signsIn(plain string) map[string]float64 {
	words := tokens(plain)
	var there kind
	for _, word := range words {
		there |= word.kind
	}
	found := map[string]float64{}
	for i, sign := range injectionSigns {
		if found[sign.says] >= sign.weight {
			continue
		}
		isThere := slices.ContainsFunc(injectionOrders[i], func(order []step) bool {
			for _, step := range order {
				if there&step.kinds == 0 {
					return false
				}
			}
			return stands(order, words)
		}) || slices.ContainsFunc(sign.marks, func(m mark) bool {
			return slices.ContainsFunc(m.needs, func(literal string) bool { return strings.Contains(plain, literal) }) && m.pattern.MatchString(plain)
		})
		if isThere {
			found[sign.says] = sign.weight
		}
	}
	return found
}

// injection weighs the signs in a report's texts, each once.
func (r SafetyRules) injection(texts ...string) (Finding, bool) {
	text := strings.Join(texts, "\n")
	plain, hidden := readable(text)
	plainly := signsIn(plain)
	found := maps.Clone(plainly)
	for _, view := range views(text, plain) {
		for says, weight := range signsIn(view.text) {
			if view.says == concealed || plainly[says] < weight { // a view may hold much of the text itself
				found[says], found[view.says] = max(found[says], weight), encodedWeight
			}
		}
	}
	if hidden {
		found[concealed] = 1
	}
	weight, says := 0.0, []string{}
	for what, of := range found {
		weight, says = weight+of, append(says, what)
	}
	// Floats: ten times 0.1 make one.
	if weight+1e-9 < r.InjectionFrom {
		return Finding{}, false
	}
	slices.Sort(says)
	finding := Finding{Reason: lore.FlagInjection, Severity: lore.SeverityMedium, Note: strings.Join(says, "; ")}
	if weight+1e-9 >= r.InjectionHigh {
		finding.Severity = lore.SeverityHigh
	}
	return finding, true
}
