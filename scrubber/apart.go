package scrubber

import (
	"regexp"
	"slices"
	"strings"
)

// Values that don't stand right behind their name: members of an object called name and value, and cells under a head.

// member reads the member of an object, or a line of YAML, that begins at i: its name, and where its value begins. Without one value is 0.
func member(text string, i int) (name string, value int) {
	const longestName = 24
	i = skip(text, i, " \t\r\n\"'`,{-")
	end := forward(text[:min(len(text), i+longestName)], i, clsURL64)
	sign := skip(text, end, "\"'` \t")
	if end == i || sign == len(text) || text[sign] != ':' && text[sign] != '=' {
		return "", 0
	}
	return text[i:end], skip(text[:min(len(text), sign+8)], sign+1, " \t\"'`")
}

// pastValue returns the end of a short value.
func pastValue(text string, i int) int {
	const longest = 24
	return skip(text, forward(text[:min(len(text), i+longest)], i, clsAzure), "\"'`")
}

// memberNames name the member that has the name of another, valueNames the one that has the value.
var (
	memberNames = strings.Fields("name key id variable")
	valueNames  = strings.Fields("value val")
)

// nameStart returns where the name begins that lo is in, or a place as far off as no name is.
func nameStart(text string, lo int) int {
	const longest = 64
	from := max(0, lo-longest)
	return from + back(text[from:lo], lo-from, clsURL64)
}

// mayBeApart tells most names, by the sign before them, from members and settings.
func mayBeApart(text string, from int) bool {
	c := byteBefore(text, from)
	if c == ' ' {
		c = byteBefore(text, from-1)
	}
	return strings.IndexByte("\"'`:=\ttdf", c) >= 0
}

// isMember reports whether the name around text[lo:] is the value of a member called name or key, and returns where it begins.
func isMember(text string, lo int) (from int, ok bool) {
	const near = 8
	from = nameStart(text, lo)
	sign := from
	for sign > 0 && strings.IndexByte("\"'` \t", text[sign-1]) >= 0 && from-sign < near {
		sign--
	}
	if sign == 0 || text[sign-1] != ':' && text[sign-1] != '=' {
		return from, false
	}
	for sign--; sign > 0 && strings.IndexByte("\"'` \t", text[sign-1]) >= 0; {
		sign--
	}
	return from, endsInAny(strings.ToLower(text[max(0, sign-near):sign]), memberNames)
}

var (
	// settings stand before a name whose value a command sets or asks for.
	settings = []string{"vars set ", "env add ", "secret put ", "secret set ", "secrets set ", "value of "}
	// askedValue leads from such a name to the value: on the line, behind an option, or behind what the command asks.
	askedValue = regexp.MustCompile("^(?:\\??[ \t]*[:›»>·]?[ \t]+(?:(?:--body|-b|--value)[ =]?)?|" +
		"[ \ta-z]{0,16}\r?\n[^\n]{0,24}[Ee]nter (?:a |the )?(?:secret )?value[ :?]*(?:[›»·…>][ \t]*)?)[\"'`]?")
)

// asked returns where the value begins that a command sets a name to or asks for, or 0: hardhat vars set, vercel env add.
func asked(text string, lo, end int) int {
	const far = 120
	if !endsInAny(text[:nameStart(text, lo)], settings) {
		return 0
	}
	n := len(askedValue.FindString(text[end:min(len(text), end+far)]))
	if value := end + n; n > 0 && value < len(text) && strings.IndexByte("<|&;-$", text[value]) < 0 {
		return value
	}
	return 0
}

// apart returns where the value of the member behind the name begins, with at most two short members between, or 0.
func apart(text string, lo, end int) int {
	const most = 3
	if _, ok := isMember(text, lo); !ok {
		return asked(text, lo, end)
	}
	at := skip(text[:min(len(text), end+4)], end, "\"'`")
	for range most {
		name, value := member(text, at)
		if value == 0 {
			return 0
		}
		if slices.Contains(valueNames, strings.ToLower(name)) {
			return value
		}
		at = pastValue(text, value)
	}
	return 0
}

// elsewhere emits secrets that stand before the name text[lo:end], as members of the same object, or under it in a table.
func (sc *scan) elsewhere(lo, end int, secret func(value string) bool) {
	const far, mostBetween = 240, 2
	text := sc.text
	from, ok := isMember(text, lo)
	if !ok {
		sc.column(lo, end, secret)
		return
	}
	begin := max(0, from-far)
	before := text[begin:from]
	if !strings.Contains(before, "alue") {
		return
	}
	n := max(strings.LastIndex(before, "value"), strings.LastIndex(before, "Value"))
	if n < 0 {
		return
	}
	_, value := member(text, begin+n)
	if value == 0 || value >= from {
		return
	}
	stop := forward(text[:from], value, clsValue)
	at := skip(text, stop, "\"'`")
	for range mostBetween {
		_, next := member(text, at)
		if next == 0 || next > from {
			return
		}
		if next == from && secret(text[value:stop]) {
			sc.emit(KindContextual, value, stop)
			return
		}
		at = pastValue(text, next)
	}
}

const (
	longestRow = 600
	mostRows   = 100
	cellSigns  = " \"'`*"
)

// column emits the secrets in the cells under a name that is the head of a column of CSV or Markdown.
func (sc *scan) column(lo, end int, secret func(value string) bool) {
	text := sc.text
	left := lo
	for left > 0 && strings.IndexByte(cellSigns, text[left-1]) >= 0 {
		left--
	}
	right := skip(text, end, cellSigns)
	before, after := byteOr(text, left-1, '\n'), byteOr(text, right, '\n')
	sign := before
	if sign == '\n' {
		sign = after
	}
	if strings.IndexByte(",;|\t", sign) < 0 || before != sign && before != '\n' || after != sign && after != '\n' && after != '\r' {
		return
	}
	head := max(0, lo-longestRow)
	n := strings.LastIndexByte(text[head:lo], '\n')
	if n < 0 && head > 0 { // no row is as long
		return
	}
	head += n + 1
	if head < sc.tableEnd && head != sc.tableHead { // the head of a column is in no row of it
		return
	}
	row := text[head:lineEnd(text, lo)]
	if len(row) > longestRow || !isHead(row, sign) {
		return
	}
	cells, k := strings.Count(row, string(sign)), strings.Count(text[head:lo], string(sign))
	at := min(len(text), head+len(row)+1)
	for range mostRows {
		stop := lineEnd(text, at)
		if row = text[at:stop]; row != "" && strings.Trim(row, "+-=|: \r") == "" { // a ruled line
			at = min(len(text), stop+1)
			continue
		}
		if len(row) > longestRow || strings.Count(row, string(sign)) != cells {
			break
		}
		cell := at
		for range k {
			cell += strings.IndexByte(text[cell:], sign) + 1
		}
		last := stop
		if n := strings.IndexByte(text[cell:stop], sign); n >= 0 {
			last = cell + n
		}
		cell = skip(text[:last], cell, cellSigns)
		value := strings.TrimRight(text[cell:last], cellSigns+"\r")
		if value != "" && all(value, clsValue) && secret(value) {
			sc.emit(KindContextual, cell, cell+len(value))
		}
		at = min(len(text), stop+1)
	}
	sc.tableHead, sc.tableEnd = head, at
}

// isHead reports whether each cell of a row is a name.
func isHead(row string, sign byte) bool {
	const longestName = 32
	cells := 0
	for cell := range strings.SplitSeq(strings.Trim(row, "|\r"), string(sign)) {
		cells++
		cell = strings.Trim(cell, cellSigns+"\r\n")
		if cell == "" || len(cell) > longestName || strings.IndexFunc(cell, func(r rune) bool {
			return r < 0x80 && !is(byte(r), clsURL64) && !strings.ContainsRune(" #()", r)
		}) >= 0 {
			return false
		}
	}
	return cells > 1
}

// lineEnd returns the end of the line that i is in, or a place further off than the longest row.
func lineEnd(text string, i int) int {
	text = text[:min(len(text), i+longestRow+1)]
	if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(text)
}

// byteOr returns the byte at i, or another where there is none.
func byteOr(text string, i int, other byte) byte {
	if i < 0 || i >= len(text) {
		return other
	}
	return text[i]
}
