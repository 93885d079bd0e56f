package main

import (
	"regexp"
	"slices"
	"strings"
)

// What a line of code does with what stands in it.
var (
	comment = regexp.MustCompile(`^\s*(?://|/\*|\*|--\s|#(?:\s|!)|;;)`)
	imports = regexp.MustCompile(`^\s*(?:pub\s+)?(?:(?:import|use|from)\b|export\s*[{*]|\}\s*from\b)`)
	// raises is a line that prints, returns or throws what stands in it.
	raises = regexp.MustCompile(`\b(?:throw|raise|revert|require|assert|panic|bail|ensure|anyhow|return|Err|reject|fail|abort|invariant)\b|\b(?:[Ee]rrorf?|[Ww]arnf?|[Ll]og\w*|[Pp]rint\w*|eprintln|Crit|Fatalf?|Infof?|Debugf?|msg|format|write|Wrapf?)!?\(`)

	assigned  = regexp.MustCompile(`^\s*(?:export\s+)?(?:default\s+)?(?:pub(?:\([^)]*\))?\s+)?(?:(?:const|static|final|readonly|public|private|protected|internal|string|constant|constexpr|char|auto|var|let|bytes32|uint256|uint\d*|int|error|\*)\s+)*(?:\w+\.)?([A-Za-z_]\w*)\s*(?::\s*[^=]{1,60}|\[\])?\s*(?::=|=)\s*[^=]`)
	attribute = regexp.MustCompile(`^\s*#\[(?:error|msg|display|strum)\b`)
	variant   = regexp.MustCompile(`^\s*([A-Z]\w*)\s*(?:[,({]|$|=)`)
	field     = regexp.MustCompile(`^\s*['"]?([A-Za-z_][\w-]*)['"]?\s*:`)
	heading   = regexp.MustCompile(`^\s*(?:\[?['"]?([A-Z][A-Za-z0-9_]*)['"]?\]?\s*:\s*[\[{(]|(?:export\s+)?(?:const|let|var)\s+([A-Z][A-Za-z0-9_]*)\b.*[{(]\s*$)`)
	arm       = regexp.MustCompile(`\b([A-Za-z_]\w*)\s*(?:\{[^}]*\}|\([^()]*\))?\s*=>`)
	switched  = regexp.MustCompile(`\bcase\s+[\w.:\s]*?([A-Za-z_]\w*)\s*:`)
	row       = regexp.MustCompile(`^\s*(?:\{|[A-Z][A-Z0-9_]*\()\s*([A-Za-z_]\w+)\s*,`)
	constant  = regexp.MustCompile(`^\s*([A-Z][A-Z0-9_]{2,})\s*\(`) // of an enum in Java or Kotlin
	cell      = regexp.MustCompile(`^\s*(?:\w+\.)*(\w+),$`)         // of a table whose rows have several lines
	class     = regexp.MustCompile(`\b(?:class|struct)\s+([A-Z]\w*)`)
	typed     = regexp.MustCompile(`\bas\s+([A-Z]\w*)|new\s+([A-Z]\w*)\(`)
	exported  = regexp.MustCompile(`^(?:[A-Z][A-Z0-9_]{2,}|[eE]rr[A-Z]\w*|[A-Z][a-z]\w*|k[A-Z]\w*|e[A-Z]\w*)$`)
	register  = regexp.MustCompile(`\b(Err\w+)\s*=\s*\w+(?:\.\w+)?\(`)
)

// plainFields are fields whose value is printed by what they stand in.
var plainFields = strings.Fields("message msg title description reason error err shortMessage details detail text errorMessage name code number help label hint cause docsPath metaMessages default")

// What stands around an identifier that a line does not make: a pattern or a comparison after it; a declaration, a pattern or a comparison
// before it.
var (
	matched       = regexp.MustCompile(`^\s*(?:\{[^}]*\}|\([^()]*\))?\s*(?:\|.*)?=>`)
	comparedAfter = regexp.MustCompile(`^\s*(?:==|!=)`)
	declares      = regexp.MustCompile(`(?:^|\b)(?:case|instanceof|catch|except|class|enum|struct|interface|type|error|event|modifier|` +
		`function|def|fn|mod|typeof)(?:\s[^;{()]*)?$`)
	comparedBefore = regexp.MustCompile(`(?:==|!=)\s*[\w.:&*]*$|(?:errors\.Is|errors\.As|isinstance|matches!|\.Is|assert_eq!|assert_matches!)\([^)]*$`)
	// readBack are lines of tables: patterns, a number read back, all variants in a list, texts by code.
	readBack = regexp.MustCompile(`^\s*(?:(?:\||\d+\s*=>)\s|Self::\w+,$|\[[\w.]*,)`)
	listed   = regexp.MustCompile(`^[,=]?\s*(?:=\s*-?\w+)?,?\s*(?://.*)?$`)
)

// inQuotes reports whether a place of a line is within a string literal.
func inQuotes(line string, at int) bool {
	quote := byte(0)
	for i := 0; i < at && i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\':
			i++
		case quote == 0 && (c == '"' || c == '\'' || c == '`'):
			quote = c
		case c == quote:
			quote = 0
		}
	}
	return quote != 0
}

// definedBy returns the identifiers by which a program uses the literal of a line: none where it prints it there. A literal that defines
// something is printed only where that is used.
func (f *file) definedBy(at int) (idents []string) {
	line := f.lines[at]
	for i := at; i >= max(0, at-3); i-- { // Rust's attribute may have several lines
		if attribute.MatchString(f.lines[i]) && (i == at || !strings.Contains(f.lines[i], ")]")) {
			for _, next := range f.lines[at+1 : min(len(f.lines), at+8)] {
				if found := variant.FindStringSubmatch(next); found != nil {
					return found[1:2]
				}
				if found := class.FindStringSubmatch(next); found != nil {
					return found[1:2]
				}
			}
		}
	}
	if found := arm.FindStringSubmatch(line); found != nil && exported.MatchString(found[1]) {
		return found[1:2]
	}
	if at > 0 {
		if found := arm.FindStringSubmatch(f.lines[at-1]); found != nil && exported.MatchString(found[1]) && strings.HasSuffix(strings.TrimSpace(f.lines[at-1]), "{") {
			return found[1:2]
		}
	}
	for i := at; i >= max(0, at-1); i-- {
		if found := switched.FindStringSubmatch(f.lines[i]); found != nil && exported.MatchString(found[1]) {
			return found[1:2]
		}
	}
	if found := register.FindStringSubmatch(line); found != nil {
		return found[1:2]
	}
	if at > 1 && f.opensRow(at-1) {
		if found := cell.FindStringSubmatch(f.lines[at-1]); found != nil {
			return found[1:2]
		}
	}
	for i := at; i >= max(0, at-2); i-- {
		if found := row.FindStringSubmatch(f.lines[i]); found != nil {
			return found[1:2]
		}
		if raises.MatchString(f.lines[i]) && !attribute.MatchString(f.lines[i]) {
			return nil
		}
		if found := assigned.FindStringSubmatch(f.lines[i]); found != nil && exported.MatchString(found[1]) {
			return found[1:2]
		}
		if found := constant.FindStringSubmatch(f.lines[i]); found != nil && strings.HasSuffix(f.path, ".java") {
			return found[1:2]
		}
	}
	if found := field.FindStringSubmatch(line); found != nil {
		if !slices.Contains(plainFields, found[1]) {
			if exported.MatchString(found[1]) {
				return found[1:2]
			}
			return nil
		}
		for i := at - 1; i >= max(0, at-14); i-- {
			if made := typed.FindStringSubmatch(f.lines[i]); made != nil || raises.MatchString(f.lines[i]) {
				return nil
			}
			if found := heading.FindStringSubmatch(f.lines[i]); found != nil {
				return []string{found[1] + found[2]}
			}
		}
		return nil
	}
	if strings.HasSuffix(f.path, ".py") || strings.HasSuffix(f.path, "ts") || strings.HasSuffix(f.path, "js") {
		for i := at; i >= max(0, at-40); i-- {
			if found := class.FindStringSubmatch(f.lines[i]); found != nil && strings.Contains(found[1], "Err") || found != nil && strings.Contains(found[1], "Exception") {
				return found[1:2]
			}
		}
	}
	return nil
}

// uses reports whether a line makes or raises what an identifier in it stands for: no definition, no comparison, no import, no pattern.
func (f *file) uses(at int, ident string) bool {
	line := f.lines[at]
	if f.prose || comment.MatchString(line) || imports.MatchString(line) {
		return false
	}
	place := wordIndex(line, ident)
	if place < 0 {
		return false
	}
	rest, head := line[place+len(ident):], strings.TrimSpace(line[:place])
	if matched.MatchString(rest) || comparedAfter.MatchString(rest) || declares.MatchString(head) || comparedBefore.MatchString(head) ||
		readBack.MatchString(line) || strings.Contains(line, "ToErrorMap.") {
		return false
	}
	if found := assigned.FindStringSubmatch(line); found != nil && found[1] == ident || f.opensRow(at) {
		return false
	}
	if found := variant.FindStringSubmatch(line); found != nil && found[1] == ident && (strings.HasSuffix(f.path, ".rs") && !strings.Contains(head, "::")) {
		return false
	}
	if found := row.FindStringSubmatch(line); found != nil && found[1] == ident {
		return false
	}
	if found := constant.FindStringSubmatch(line); found != nil && found[1] == ident {
		return false
	}
	if found := field.FindStringSubmatch(line); found != nil && found[1] == ident {
		return false
	}
	if rest := strings.TrimSpace(rest); head == "" && (rest == "" || listed.MatchString(rest)) && !f.inCall(at) { // of an enum
		return false
	}
	return true
}

// opensRow reports whether a line is the first cell of a table's row: the line before opens it.
func (f *file) opensRow(at int) bool { return at > 0 && strings.TrimSpace(f.lines[at-1]) == "[" }

// inCall reports whether a line that is a word alone is an argument: the line before opens a call.
func (f *file) inCall(at int) bool {
	for i := at - 1; i >= max(0, at-4); i-- {
		text := strings.TrimSpace(f.lines[i])
		if text == "" || comment.MatchString(text) {
			continue
		}
		return strings.HasSuffix(text, "(") || strings.HasSuffix(text, ",") && raises.MatchString(text) || strings.Contains(text, "require(")
	}
	return false
}

// wordIndex returns where an identifier stands as a word in a line, or -1.
func wordIndex(line, ident string) int {
	for from := 0; ; {
		at := strings.Index(line[from:], ident)
		if at < 0 {
			return -1
		}
		at += from
		if (at == 0 || !isWord(line[at-1])) && (at+len(ident) == len(line) || !isWord(line[at+len(ident)])) {
			return at
		}
		from = at + len(ident)
	}
}
