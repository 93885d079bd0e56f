package curator

import "strings"

// fileEndings are the endings of source files. Of two that begin alike the first counts: what follows it is no part of the
// name, as "pp" after pool.c.
var fileEndings = []string{"sol", "vy", "rs", "go", "move", "cairo", "ts", "js", "py", "fc", "tact", "c", "cpp", "h"}

// endingsBy are the file endings by their first character: nearly every full stop is told from one by a look at what follows.
var endingsBy = func() (by [256][]string) {
	for _, ending := range fileEndings {
		by[ending[0]] = append(by[ending[0]], ending)
	}
	return by
}()

// fileByte and queryEnd say what the name of a file is made of and what ends the query of an address behind it.
var (
	fileByte = byteSet("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_.-")
	queryEnd = byteSet(" \t\n\f\r#)]")
)

// mostLineDigits is how many digits the number of a line has at most.
const mostLineDigits = 6

// eachCodePlace visits the source files that a text names: file.sol, file.sol#L10-L20, file.rs:10. Where no line is given,
// from is empty, and to as well where only one is. All of them are found by their endings.
func eachCodePlace(text string, visit func(file, from, to string)) {
	for start, dot := 0, 0; ; {
		next := strings.IndexByte(text[dot:], '.')
		if next < 0 {
			return
		}
		if dot += next; dot == start || !fileByte[text[dot-1]] || fileEnd(text, dot) < 0 {
			dot++
			continue
		}
		// The name is all of the run that this ending stands in, up to the last ending of the run.
		begin := dot
		for begin > start && fileByte[text[begin-1]] {
			begin--
		}
		run := dot
		for run < len(text) && fileByte[text[run]] {
			run++
		}
		end := -1
		for last := run; end < 0; {
			last = strings.LastIndexByte(text[:last], '.')
			end = fileEnd(text, last)
		}
		name := text[begin:end]
		if end < len(text) && text[end] == '?' {
			for end++; end < len(text) && !queryEnd[text[end]]; end++ {
			}
		}
		from, to, end := linesAt(text, end)
		visit(name, from, to)
		start, dot = end, end
	}
}

// fileEnd returns where the name of a file ends whose last full stop may be at a place, or -1.
func fileEnd(text string, dot int) int {
	rest := text[dot+1:]
	if rest == "" {
		return -1
	}
	for _, ending := range endingsBy[rest[0]] {
		if strings.HasPrefix(rest, ending) {
			return dot + 1 + len(ending)
		}
	}
	return -1
}

// linesAt reads the lines that may stand behind the name of a file, and returns where they end: #L10-L20, #L10C5, :10-20.
func linesAt(text string, at int) (from, to string, end int) {
	digits := at
	switch {
	case at == len(text):
		return "", "", at
	case strings.HasPrefix(text[at:], "#L"):
		digits += len("#L")
	case text[at] == ':' || text[at] == '#':
		digits++
	default:
		return "", "", at
	}
	if from = leadingDigits(text[digits:], mostLineDigits); from == "" {
		return "", "", at
	}
	end = digits + len(from)
	if end < len(text) && text[end] == 'C' { // a column
		if column := leadingDigits(text[end+1:], len(text)); column != "" {
			end += 1 + len(column)
		}
	}
	if end < len(text) && text[end] == '-' {
		digits = end + 1
		if digits < len(text) && text[digits] == 'L' {
			digits++
		}
		if to = leadingDigits(text[digits:], mostLineDigits); to != "" {
			end = digits + len(to)
		}
	}
	return from, to, end
}

// leadingDigits returns the digits that a text begins with, so many at most.
func leadingDigits(text string, most int) string {
	n := 0
	for n < len(text) && n < most && digit(text[n]) {
		n++
	}
	return text[:n]
}
