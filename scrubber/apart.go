package scrubber

import (
	"regexp"
	"strings"
)

// Values that don't stand right behind their name: members of an object called name and value, and cells under a head.

var (
	// memberName stands before a name that is a value itself: - name: PRIVATE_KEY, <add key="PrivateKey".
	memberName = regexp.MustCompile("(?i)(?:name|key|id|variable)[\"'`]?[ \t]*[:=][ \t]*[\"'`]?$")
	// memberValue leads from such a name to its value, over at most two short members.
	memberValue = regexp.MustCompile("^[\"'`]?[ \t]*,?[ \t\r\n]*(?:[\"'`]?[\\w-]{1,24}[\"'`]?[ \t]*[:=][ \t]*[\"'`]?[\\w.-]{0,24}[\"'`]?,?[ \t\r\n]+){0,2}" +
		"[\"'`]?(?i:value|val)[\"'`]?[ \t]*[:=][ \t]*[\"'`]?")
	// valueMember is a member of the value before that of the name.
	valueMember = regexp.MustCompile("(?i)(?:^|[^\\w])value[\"'`]?[ \t]*[:=][ \t]*[\"'`]?([^\\s\"'`,]{6,160})[\"'`]?[ \t]*,?[ \t\r\n]*" +
		"(?:[\"'`]?[\\w-]{1,24}[\"'`]?[ \t]*[:=][ \t]*[\"'`]?[\\w.-]{0,24}[\"'`]?,?[ \t\r\n]+)?[\"'`]?(?:name|key|id)[\"'`]?[ \t]*[:=][ \t]*[\"'`]?$")
)

// isMember reports whether the name around text[lo:] is the value of a member called name or key, and returns where it begins.
func isMember(text string, lo int) (from int, ok bool) {
	const near = 24
	from = back(text, lo, clsURL64)
	sign := from
	for sign > 0 && strings.IndexByte("\"'` \t", text[sign-1]) >= 0 && from-sign < near {
		sign--
	}
	if sign == 0 || text[sign-1] != ':' && text[sign-1] != '=' {
		return from, false
	}
	return from, memberName.MatchString(text[max(0, from-near):from])
}

// apart returns where the value of the member behind the name begins, or 0.
func apart(text string, lo, end int) int {
	const far = 160
	if _, ok := isMember(text, lo); !ok {
		return 0
	}
	n := len(memberValue.FindString(text[end:min(len(text), end+far)]))
	if n == 0 {
		return 0
	}
	return end + n
}

// elsewhere emits secrets that stand before the name text[lo:end], as members of the same object, or under it in a table.
func (sc *scan) elsewhere(lo, end int, secret func(value string) bool) {
	const far = 320
	text := sc.text
	if from, ok := isMember(text, lo); ok {
		begin := max(0, from-far)
		if m := valueMember.FindStringSubmatchIndex(text[begin:from]); m != nil && secret(text[begin+m[2]:begin+m[3]]) {
			sc.emit(KindContextual, begin+m[2], begin+m[3])
		}
		return
	}
	sc.column(lo, end, secret)
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
	head += strings.LastIndexByte(text[head:lo], '\n') + 1
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
		if row = text[at:stop]; len(row) > longestRow || strings.Count(row, string(sign)) != cells {
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

func lineEnd(text string, i int) int {
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
