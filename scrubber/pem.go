package scrubber

import "strings"

// Private keys in text armour.
func pemRules() []rule {
	return []rule{{
		name: "pem", kind: KindPEM, anchors: []string{"PRIVATE KEY"}, find: findPEM,
		removed: []string{
			"«-----BEGIN PRIVATE KEY-----\n<b64:64>\n<b64:40>==\n-----END PRIVATE KEY-----»",
			"k=\"«-----BEGIN RSA PRIVATE KEY-----\\n<b64:64>\\n<b64:20>\\n-----END RSA PRIVATE KEY-----»\\n\"",
			"> «-----BEGIN OPENSSH PRIVATE KEY-----\n> <b64:70>\n> <b64:70>»\nThat was it.",
			"«-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n<b64:64>\n=<b64:4>\n-----END PGP PRIVATE KEY BLOCK-----»",
			"«-----BEGIN EC PRIVATE KEY----- <b64:64> <b64:64> -----END EC PRIVATE KEY-----»",
		},
		kept: []string{
			"-----BEGIN PUBLIC KEY-----\n<b64:64>\n-----END PUBLIC KEY-----", "-----BEGIN CERTIFICATE-----\n<b64:64>\n-----END CERTIFICATE-----",
			"-----BEGIN OPENSSH PRIVATE KEY----------END OPENSSH PRIVATE KEY-----", "a file that begins with -----BEGIN PRIVATE KEY----- is a secret", "the PRIVATE KEY of the owner",
		},
	}, {
		name: "putty key", kind: KindPEM, anchors: []string{"Private-Lines:"}, find: findPutty,
		removed: []string{"Private-Lines: 2\n«<b64:64>\n<b64:64>»\nPrivate-MAC: x"},
		kept:    []string{"Private-Lines: 8", "Public-Lines: 1\n<b64:64>"},
	}}
}

const longestPEM = 20 << 10

// findPEM removes a block from BEGIN to its END, or, without an END, the armour lines that follow.
func findPEM(sc *scan, lo, hi int) int {
	text := sc.text
	begin := strings.LastIndex(text[max(0, lo-48):lo], "BEGIN ")
	if begin < 0 {
		return hi
	}
	begin += max(0, lo-48)
	if strings.ContainsAny(text[begin:lo], "\n-") {
		return hi
	}
	start := back1(text, begin, '-')
	if begin-start < 2 {
		return hi
	}
	body := hi
	if strings.HasPrefix(text[body:], " BLOCK") {
		body += len(" BLOCK")
	}
	dashes := body
	for dashes < len(text) && text[dashes] == '-' {
		dashes++
	}
	if dashes-body < 2 {
		return hi
	}
	limit := min(len(text), dashes+longestPEM)
	if next := strings.Index(text[dashes:limit], "--BEGIN "); next >= 0 {
		limit = dashes + next
	}
	// An empty block has its END among the same dashes.
	if end := strings.Index(text[body:limit], "--END "); end >= 0 {
		end += body
		stop := limit
		if n := strings.Index(text[end:limit], "KEY"); n >= 0 {
			stop = end + n + len("KEY")
			if strings.HasPrefix(text[stop:], " BLOCK") {
				stop += len(" BLOCK")
			}
			for stop < limit && text[stop] == '-' {
				stop++
			}
		}
		if armour(text[dashes:max(dashes, end)]) {
			sc.emit(KindPEM, start, stop)
		}
		return stop
	}
	end := dashes
	for at := dashes; at < limit; {
		stop := lineEnd(text, at, limit)
		line := strings.Trim(text[at:stop], " \t\r>|#*\"'`,+")
		word := forward(line, 0, clsBase64)
		header := strings.Contains(line, ": ") && len(line) < 100 && at < dashes+400 && !strings.Contains(line, ". ")
		if rest := strings.Trim(line[word:], "= "); line != "" && !header && (rest != "" || word < 16 && end == dashes) {
			// a block on one line, its pieces parted by spaces
			if n := armourWords(text[at:stop]); n > 0 {
				end = at + n
			}
			break
		}
		if line != "" && !header {
			end = stop
			if word < 16 { // a short last line
				break
			}
		}
		at = stop + lineBreak(text[stop:])
		if at == stop {
			break
		}
	}
	if end > dashes {
		sc.emit(KindPEM, start, end)
	}
	return max(end, hi)
}

// armour tells whether a body holds at least one stretch of base64.
func armour(body string) bool {
	run := 0
	for i := range len(body) {
		if is(body[i], clsBase64) {
			if run++; run >= 16 {
				return true
			}
			continue
		}
		run = 0
	}
	return false
}

// armourWords returns how far a line goes on in pieces of base64 parted by spaces.
func armourWords(line string) int {
	end := 0
	for at := 0; at < len(line); {
		for at < len(line) && is(line[at], clsSpace) {
			at++
		}
		stop := forward(line, at, clsBase64|clsPad)
		if stop-at < 16 {
			break
		}
		end, at = stop, stop
	}
	return end
}

// lineEnd finds a line break, real or written as \n.
func lineEnd(text string, at, limit int) int {
	for i := at; i < limit; i++ {
		if lineBreak(text[i:]) > 0 {
			return i
		}
	}
	return limit
}

func lineBreak(s string) int {
	switch {
	case s == "":
		return 0
	case s[0] == '\n':
		return 1
	case strings.HasPrefix(s, `\r\n`):
		return 4
	case strings.HasPrefix(s, `\n`):
		return 2
	}
	return 0
}

func back1(s string, i int, c byte) int {
	for i > 0 && s[i-1] == c {
		i--
	}
	return i
}

// findPutty removes the lines that a PuTTY key file calls private.
func findPutty(sc *scan, _, hi int) int {
	text := sc.text
	at := strings.IndexByte(text[hi:], '\n')
	if at < 0 || at > 16 {
		return hi
	}
	first := hi + at + 1
	end := first
	for i := first; i < len(text); {
		stop := lineEnd(text, i, len(text))
		line := strings.TrimRight(text[i:stop], "\r")
		if len(line) < 16 || !all(line, clsBase64|clsPad) {
			break
		}
		end = stop
		i = stop + 1
	}
	sc.emit(KindPEM, first, end)
	return max(end, hi)
}
