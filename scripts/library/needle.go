package main

import (
	"regexp"
	"strings"
)

// needle is a name as it stands in a program: its literal parts, in their order.
type needle struct {
	parts []string
	key   string // a word of the longest part, by which it is looked up
	part  int    // the part that has the key
	place int    // of the key in it
	word  bool   // the name is an identifier: it stands as a word
	line  bool   // its parts stand in one line
	in    string // a part of the file's path; empty: any file
}

var (
	placeholder = regexp.MustCompile(`\{[a-z_]+\}`)
	words       = regexp.MustCompile(`[A-Za-z0-9_$]{2,}`)
	signature   = regexp.MustCompile(`^([A-Za-z_$][\w$]*)\(.*\)$`)
	hardhatCode = regexp.MustCompile(`^HHE?(\d+)$`)
	jsonCode    = regexp.MustCompile(`^"code":(\d+)$`)
	// solanaNumber is a code as Solana's clients print it, cosmosCode one as Cosmos' do.
	solanaNumber = regexp.MustCompile(`^(?:Solana error #|RPC response error )(-?\d+)$`)
	cosmosCode   = regexp.MustCompile(`^(?:"codespace":"(\w+)","code":(\d+)|failed with code (\d+) \(codespace: (\w+)\))$`)
	balancerCode = regexp.MustCompile(`^BAL#([1-9]\d*)$`) // Balancer's errors are numbers, printed behind BAL#
	dotted       = regexp.MustCompile(`^[a-z]\w*(?:\.[A-Za-z_]\w*)+$`)
	identifier   = regexp.MustCompile(`^[A-Za-z_$][\w$]*$`)
)

// before are what others print around a program's own text.
var before = []string{
	"execution reverted: ", "Program log: Error: ", "Program log: ", "Error processing Instruction {n}: ", "Transaction simulation failed: ",
	"Error: ", "error: ", "ERROR: ", "panic: ", "Panic: ", "Uncaught ", "Fatal: ", "VM Exception while processing transaction: ", "revert: ",
	"TypeError: ", "ValueError: ", "RippledError: ", "err=", "Error - ", "Warning: ", "WARN ", "TransactionError::", "ProgramError::", "reverted with reason string '", "reverted with reason string ",
}

// newNeedles returns what to look for, for a name: it, and it without what others print around it.
func newNeedles(name string) (found []needle) {
	texts := []string{name}
	for rest, cut := name, true; cut; {
		cut = false
		for _, prefix := range before {
			if after, has := strings.CutPrefix(rest, prefix); has && after != "" {
				rest, cut = after, true
				texts = append(texts, rest)
			}
		}
	}
	if sub := solanaNumber.FindStringSubmatch(name); sub != nil { // it is a constant
		texts = []string{"= " + sub[1]}
	}
	if sub := cosmosCode.FindStringSubmatch(name); sub != nil {
		space, code := sub[1]+sub[4], sub[2]+sub[3]
		n := needle{parts: []string{"Register(", ", " + code + ","}, key: "Register", line: true, in: "/" + space + "/"}
		if folder, known := codespaces[space]; known {
			n.in = folder
		}
		return []needle{n}
	}
	if sub := jsonCode.FindStringSubmatch(name); sub != nil { // it is a number of a table
		return []needle{{parts: []string{sub[1]}, key: sub[1], word: true}}
	}
	if sub := hardhatCode.FindStringSubmatch(name); sub != nil { // its table has the number
		texts = []string{"number: " + sub[1] + ","}
	}
	if sub := signature.FindStringSubmatch(name); sub != nil {
		texts = []string{sub[1]}
	}
	if sub := balancerCode.FindStringSubmatch(texts[len(texts)-1]); sub != nil {
		return []needle{{parts: []string{"= " + sub[1] + ";"}, key: sub[1], place: 2}}
	}
	for _, text := range texts {
		if _, variant, has := strings.Cut(text, "::"); has && identifier.MatchString(variant) { // of an enum
			text = variant
		}
		if text = strings.Trim(text, `'"`); len(text) <= maxShort { // as a text of its own
			for _, quote := range []string{`"`, `'`} {
				found = append(found, needle{parts: []string{quote + text + quote}, key: text, place: 1})
			}
			continue
		}
		if n, ok := newNeedle(text); ok {
			found = append(found, n)
		}
		if trimmed := strings.TrimRight(text, ".:! "); trimmed != text && strings.Contains(trimmed, " ") {
			if n, ok := newNeedle(trimmed); ok {
				found = append(found, n)
			}
		}
		if _, tail, has := strings.Cut(text, ": "); has && detail(tail) { // of an error that another one wraps
			if n, ok := newNeedle(tail); ok {
				found = append(found, n)
			}
		}
		if dotted.MatchString(text) {
			if n, ok := newNeedle(text[strings.LastIndexByte(text, '.')+1:]); ok {
				found = append(found, n)
			}
		}
	}
	return found
}

// detail reports whether what stands behind an error's own text tells it from others: several words besides what varies.
func detail(tail string) bool {
	return len(words.FindAllString(placeholder.ReplaceAllString(tail, ""), -1)) >= 2 && len(placeholder.ReplaceAllString(tail, "")) >= 10
}

func newNeedle(text string) (n needle, ok bool) {
	for _, part := range placeholder.Split(text, -1) {
		if part = strings.TrimRight(part, " "); len(n.parts) > 0 {
			part = strings.TrimLeft(part, " '\"`")
		}
		part = strings.TrimRight(part, "'\"`")
		if len(words.FindString(part)) > 0 {
			n.parts = append(n.parts, part)
		}
	}
	longest := 0
	for i, part := range n.parts {
		for _, at := range words.FindAllStringIndex(part, -1) {
			if at[1]-at[0] > longest {
				longest, n.part, n.place, n.key = at[1]-at[0], i, at[0], part[at[0]:at[1]]
			}
		}
	}
	n.word = identifier.MatchString(text)
	return n, longest >= 3
}

// maxShort is up to which length a name is looked for only as a string literal of its own, as 'TF' and '28' are.
const maxShort = 3

// codespaces are the folders that register the errors of Cosmos' codespaces, where they have another name.
var codespaces = map[string]string{"sdk": "types/errors/", "client": "02-client/", "channel": "04-channel/", "connection": "03-connection/", "wasm": "x/wasm/"}

// maxBetween is how many bytes may stand between two parts of a name: an argument with its cast, an interpolation.
const maxBetween = 160

// at reports whether the name stands where its key does in a text, and where it begins.
func (n needle) at(text string, key int) (start int, found bool) {
	start = key - n.place
	own := n.parts[n.part]
	if start < 0 || !strings.HasPrefix(text[start:], own) {
		return 0, false
	}
	if n.word && (start > 0 && isWord(text[start-1]) || start+len(own) < len(text) && isWord(text[start+len(own)])) {
		return 0, false
	}
	end := start + len(own)
	for _, part := range n.parts[n.part+1:] {
		next := strings.Index(text[end:min(len(text), end+maxBetween+len(part))], part)
		if next < 0 {
			return 0, false
		}
		end += next + len(part)
	}
	if n.line && strings.Contains(text[start:end], "\n") {
		return 0, false
	}
	for i := n.part - 1; i >= 0; i-- {
		part := n.parts[i]
		from := max(0, start-maxBetween-len(part))
		last := strings.LastIndex(text[from:start], part)
		if last < 0 {
			return 0, false
		}
		start = from + last
	}
	return start, true
}

func isWord(b byte) bool {
	return b == '_' || b == '$' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}
