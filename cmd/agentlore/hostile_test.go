package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

// Hostile input is a 4xx: no panic, no 5xx, and nothing of it in answer or log.
func TestHostileInput(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	me := s.register(t, "meets-hostile-input")
	quoted := func(text string) string {
		encoded, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(encoded)
	}
	with := func(field, value string) string {
		return fmt.Sprintf(`{"summary":"hostile","category":"general",%q:%s}`, field, value)
	}
	tags := strings.Repeat(`"`+canary+`",`, 9_999) + `"last"`
	for name, body := range map[string]string{
		"deep lists":               with("content", strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)),
		"deep objects":             strings.Repeat(`{"summary":`, 20_000) + "1" + strings.Repeat("}", 20_000),
		"deep and open":            strings.Repeat("[", 200_000),
		"deep below the limit":     with("content", strings.Repeat("[", 5_000)+strings.Repeat("]", 5_000)),
		"1 MiB string":             with("content", `"`+strings.Repeat(canary, 1<<20/len(canary))+`"`),
		"1 MiB of escapes":         with("content", `"`+strings.Repeat(`\u0041`, 1<<20/6)+`"`),
		"250 KiB string":           with("content", `"`+strings.Repeat("x", 250<<10)+`"`),
		"10,000 tags":              with("tags", "["+tags+"]"),
		"invalid UTF-8":            with("content", "\"\xc3\x28\xff\xfe\""),
		"overlong UTF-8":           with("content", "\"\xc0\xaf\""),
		"a surrogate in UTF-8":     with("content", "\"\xed\xa0\x80\""),
		"NUL":                      with("content", `"a\u0000b"`),
		"NUL in a tag":             with("tags", `["a\u0000b"]`),
		"NUL byte":                 with("content", "\"a\x00b\""),
		"newline in a string":      with("content", "\"a\nb\""),
		"zero-width summary":       `{"summary":"\u200b\u200b","category":"\u202egeneral"}`,
		"huge number":              with("usefulness_score", strings.Repeat("9", 400)),
		"huge exponent":            with("usefulness_score", "1e999999"),
		"negative zero and a half": with("usefulness_score", "-0.5"),
		"many members":             "{" + strings.Repeat(`"`+canary+`":1,`, 10_000) + `"summary":"x"}`,
		"comment":                  `{"summary":"x", /* ` + canary + ` */ "category":"general"}`,
		"NaN":                      with("usefulness_score", "NaN"),
		"byte order mark":          "\xef\xbb\xbf" + with("content", `"x"`),
		"prototype":                `{"__proto__":{"summary":"x"},"category":"general"}`,
	} {
		for _, path := range []string{"/intake/submit", "/intake/register", "/intake/connect"} {
			began := time.Now()
			got := s.send(t, "POST", path, body, me.bearer()...)
			if got.status < 400 || got.status >= 500 {
				t.Errorf("%s to %s: status %d, want a 4xx: %.300s", name, path, got.status, got.body)
				continue
			}
			if p := decode[problem](t, got); p.Code == "" || p.Detail == "" {
				t.Errorf("%s to %s: no problem in the answer: %.300s", name, path, got.body)
			}
			if bytes.Contains(got.body, []byte(canary)) || len(got.body) > 1<<20 {
				t.Errorf("%s to %s: the answer repeats what was sent, or is %d bytes long", name, path, len(got.body))
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("%s to %s took %s", name, path, took)
			}
		}
	}
	// What looks hostile and is allowed comes back as it was: right-to-left text, zero-width characters, markup.
	for _, text := range []string{
		"עסקה נכשלה \u202eabc\u202c", "zero\u200bwidth\u200d", "<script>alert(1)</script>", "'; DROP TABLE x; --", "{{7*7}} ${jndi:x} %s%n",
		"e\u0301 and é", "𝕏 🦊 \U0001F1FA\U0001F1F3", `back\slash "quotes"`, "a\tb\r\nc",
	} {
		stored := decode[submitted](t, s.send(t, "POST", "/intake/submit", fmt.Sprintf(`{"summary":%s,"category":"general","content":%s}`, quoted(text), quoted(text)), me.bearer()...).want(t, 201))
		read := decode[map[string]any](t, s.get(t, "/submissions/"+stored.ID).want(t, 200))
		if read["summary"] != text || read["content"] != text {
			t.Errorf("%q came back as %q", text, read["summary"])
		}
	}
	// Any text is a valid q.
	for _, q := range []string{"%22", "%00", "%ff%fe", "AND%20OR%20NOT", "a%3A%28%5B%2F%2F", "*%3F~%5E", "%F0%9F%A6%8A", "%E2%80%AE", "summary:x", strings.Repeat("%2A", 512), strings.Repeat("a+", 256)} {
		for _, more := range []string{"", "&sort=newest", "&facets=true", "&type=asset&detail=full"} {
			if got := s.get(t, "/search/all?q="+q+more); got.status != 200 {
				t.Errorf("q=%s%s: status %d, want 200: %.300s", q, more, got.status, got.body)
			}
		}
	}
	for _, filter := range []string{"ecosystem=%00", "tag=%ff", "ecosystem=" + strings.Repeat("%F0%9F%A6%8A", 64), "entity=%22%00", "since=0001-01-01T00:00:00Z", "since=9999-12-31T23:59:59Z"} {
		if got := s.get(t, "/submissions?"+filter); got.status >= 500 {
			t.Errorf("%s: status %d: %.300s", filter, got.status, got.body)
		}
	}
	for _, path := range []string{"/analytics?since=0001-01-01T00:00:00Z&until=9999-12-31T23:59:59Z", "/search/all?since=9999-12-31T23:59:59.999999999%2B23:59"} {
		if got := s.get(t, path); got.status >= 500 {
			t.Errorf("%s: status %d: %.300s", path, got.status, got.body)
		}
	}
	log := s.log.String()
	if strings.Contains(log, canary) {
		t.Error("the log repeats what was sent")
	}
	if strings.Contains(log, `"panic"`) {
		t.Error("a handler panicked")
	}
}

// Requests that are no HTTP, or hardly, don't bring the service down and are not echoed.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	for name, raw := range map[string]string{
		"garbage":              "\x16\x03\x01\x02\x00" + canary + "\r\n\r\n",
		"no host":              "GET /status HTTP/1.1\r\n\r\n",
		"two lengths":          "POST /intake/submit HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
		"length and chunks":    "POST /intake/submit HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n",
		"large headers":        "GET /status HTTP/1.1\r\nHost: x\r\nX-Large: " + strings.Repeat(canary, 10_000) + "\r\n\r\n",
		"NUL in a path":        "GET /sta\x00tus HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
		"path of dots":         "GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
		"absolute address":     "GET http://" + canary + "/status?x=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
		"method of one's own":  canary + " /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
		"chunk of wrong form":  "POST /intake/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nzz\r\n" + canary + "\r\n",
		"body that ends early": "POST /intake/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\nConnection: close\r\n\r\n{\"name\":\"" + canary,
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
		if _, err := conn.Write([]byte(raw)); err == nil {
			_ = conn.(*net.TCPConn).CloseWrite()
		}
		var got bytes.Buffer
		_, _ = got.ReadFrom(conn)
		_ = conn.Close()
		line, _, _ := strings.Cut(got.String(), "\r\n")
		if line != "" && !strings.HasPrefix(line, "HTTP/1.1 4") && name != "path of dots" {
			t.Errorf("%s: %q, want a 4xx or a closed connection", name, line)
		}
		if strings.Contains(got.String(), canary) {
			t.Errorf("%s: the answer repeats what was sent", name)
		}
	}
	s.get(t, "/health").want(t, 200)
	if strings.Contains(s.log.String(), canary) {
		t.Error("the log repeats what was sent")
	}
}

// Times that Go or Elasticsearch can't write are bounds like any other: a day's offset, and years that an offset leaves.
func TestHostileTimes(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	for _, since := range []string{"2026-01-01T00:00:00%2B24:00", "9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00%2B01:00", "0001-01-01T00:00:00Z"} {
		for _, path := range []string{"/knowledge?", "/search/all?sort=newest&", "/search/all?q=oracle&", "/export?collection=patterns&", "/analytics?until=" + since + "&"} {
			if got := s.get(t, path+"since="+since); got.status != 200 && got.status != 422 {
				t.Errorf("%s since %s: status %d: %.300s", path, since, got.status, got.body)
			}
		}
	}
}
