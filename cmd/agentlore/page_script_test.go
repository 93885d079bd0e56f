package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"agentlore/enginetest"
	"agentlore/lore"
)

// payloads are texts that run a script where a page takes them as HTML, as an address or as code.
var payloads = []string{
	`<script>alert(1)</script>`, `<SCRIPT SRC=//x.example/x.js></SCRIPT>`, `"><script>alert(1)</script>`, `'><script>alert(1)</script>`,
	`</title><script>alert(1)</script>`, `</textarea><script>alert(1)</script>`, `</style><script>alert(1)</script>`, `</script><script>alert(1)</script>`,
	`<img src=x onerror=alert(1)>`, `"><img src=x onerror=alert(1)>`, `'"--><img src=x onerror=alert(1)>`, `<img src="x" onerror="alert(1)"/>`, `<IMG SRC=javascript:alert(1)>`,
	`<img/src/onerror=alert(1)>`, `<img src=x:x onerror=alert(1) `, `<svg onload=alert(1)>`, `<svg/onload=alert(1)>`, `<svg><script>alert(1)</script></svg>`,
	`<svg><animate onbegin=alert(1) attributeName=x dur=1s>`, `<svg><a xlink:href="javascript:alert(1)"><text y=9>x</text></a>`, `<math><mi//xlink:href="javascript:alert(1)">x`,
	`<iframe src=javascript:alert(1)>`, `<iframe srcdoc="<script>alert(1)</script>">`, `<object data=javascript:alert(1)>`, `<embed src=javascript:alert(1)>`,
	`<a href=javascript:alert(1)>x</a>`, `<a href="java&#115;cript:alert(1)">x</a>`, `javascript:alert(1)`, `JaVaScRiPt:alert(1)`, "java\tscript:alert(1)",
	`javascript://example.org/%0aalert(1)`, `data:text/html,<script>alert(1)</script>`, `vbscript:msgbox(1)`, `https://x.example/"onmouseover="alert(1)`,
	`<body onload=alert(1)>`, `<input autofocus onfocus=alert(1)>`, `<details open ontoggle=alert(1)>`, `<video><source onerror=alert(1)>`, `<audio src=x onerror=alert(1)>`,
	`<marquee onstart=alert(1)>`, `<form action=javascript:alert(1)><input type=submit>`, `<button formaction=javascript:alert(1)>x`, `<base href=//x.example/>`,
	`<meta http-equiv=refresh content="0;url=javascript:alert(1)">`, `<link rel=stylesheet href=//x.example/x.css>`, `<style>*{background:url(//x.example)}</style>`,
	`" autofocus onfocus=alert(1) x="`, `{{constructor.constructor('alert(1)')()}}`, "```\n</code></pre><script>alert(1)</script>\n```", "**<img src=x onerror=alert(1)>** `<svg onload=alert(1)>`",
}

// intruders finds in a page whatever isn't of our templates: elements that they never write, handlers, styles and addresses
// that run. Our policy would keep most of it from running; none of it may get so far.
const intruders = `[...document.querySelectorAll("*")].flatMap(e => {
  const found = [];
  const ours = e.localName === "script" && /^\/static\/page\.js\?v=/.test(e.getAttribute("src")) && !e.textContent
    || e.localName === "link" && /^\/static\//.test(e.getAttribute("href")) || e.localName === "meta" && !e.httpEquiv;
  if (/^(script|iframe|object|embed|base|img|video|audio|source|marquee|math|mi|animate|style|link|meta|text)$/.test(e.localName) && !ours) found.push("<" + e.localName + ">");
  for (const a of e.attributes) {
    if (/^on|^style$|^srcdoc$/i.test(a.name)) found.push(e.localName + "." + a.name);
    if (/^(href|src|action|formaction|xlink:href|data)$/i.test(a.name)) {
      const to = new URL(a.value, document.baseURI);
      if (!/^https?:$/.test(to.protocol)) found.push(a.value);
      if (to.origin !== location.origin && !/noopener/.test(e.rel) ) found.push("leads away: " + a.value);
    }
  }
  return found;
})`

// storePayload stores a text in every field of every collection and returns the addresses of its items.
func storePayload(t *testing.T, s *service, number int, text string) (pages []string, bulk []byte) {
	t.Helper()
	name := text
	if len(name) > 60 {
		name = "longer than a name may be"
	}
	name = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, name)
	me := decode[registered](t, s.send(t, "POST", "/intake/register", map[string]any{
		"name": fmt.Sprint(name, number), "type": "agent", "owner": name, "description": text,
	}).want(t, 201))
	author := agent{me.ID, me.Name, me.APIToken}
	sent := s.submit(t, author, map[string]any{"summary": text, "category": "general", "content": text, "resolution": text, "tags": []string{name}})
	// As an earlier version took it: by now an ecosystem must be a name.
	plantFields(t, s, "submissions", sent.ID, map[string]any{"ecosystem": name})
	plantFields(t, s, "sources", me.ID, map[string]any{"ecosystem": []string{name}})
	target := map[string]any{"collection": "submissions", "id": sent.ID}
	suggestion := decode[map[string]any](t, s.send(t, "POST", "/intake/suggest", map[string]any{"kind": "feature", "summary": text, "content": text}, author.bearer()...).want(t, 201))
	flag := decode[map[string]any](t, s.send(t, "POST", "/intake/flag", map[string]any{"target": target, "reason": "injection", "note": text}, author.bearer()...).want(t, 201))

	add := func(path, collection string, document map[string]any) {
		id := lore.DerivedID(path, fmt.Sprint(number))
		document["id"], document["created_at"], document["ecosystem"] = id, "2026-09-01T09:00:00Z", []string{text}
		if collection != string(lore.Families) {
			document["tags"], document["entities"] = []string{text}, []string{text}
		}
		line, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		bulk = fmt.Appendf(bulk, "{\"index\":{\"_index\":%q,\"_id\":%q}}\n%s\n", s.prefix+"-"+collection, id, line)
		pages = append(pages, "/web/"+path+"/"+id)
	}
	add("knowledge", "knowledge-units", map[string]any{
		"summary": text, "content": text, "resolution": text, "category": text, "tier": 3, "confidence": 0.9, "status": "active", "missing": []string{text},
		"score_parts": map[string]any{"specificity": 1}, "evidence": map[string]any{"submission_ids": []string{sent.ID}, "submissions": 1, "sources": 1, "owners": 1},
		"outcomes": map[string]any{"worked": 1, "failed": 0, "unsafe": 0},
	})
	add("patterns", "patterns", map[string]any{
		"summary": text, "resolution": text, "category": text, "tier": 1, "report_count": 2, "source_count": 2, "owner_count": 2, "status": text, "example_ids": []string{sent.ID},
	})
	add("families", "families", map[string]any{
		"summary": text, "content": text, "resolution": text, "category": text, "report_count": 2, "source_count": 2, "owner_count": 2, "pattern_count": 1,
		"project_count": 2, "months": []any{}, "first_seen_at": "2026-09-01T09:00:00Z", "last_seen_at": "2026-09-01T09:00:00Z",
	})
	add("assets", "assets", map[string]any{
		"name": text, "type": text, "description": text, "url": text, "addresses": []string{text}, "status": "active", "origin": text, "summary": text,
	})
	return append(pages, "/web/submissions/"+sent.ID, "/web/sources/"+me.ID, fmt.Sprint("/web/suggestions/", suggestion["id"]), fmt.Sprint("/web/safety-flags/", flag["id"])), bulk
}

// No stored text runs as a script or becomes part of a page, whichever field it is in, nor does a query. All of a
// payload's pages are looked at with AGENTLORE_LONG=1; without, one item's page a payload and every list.
func TestStoredTextStaysText(t *testing.T) {
	t.Parallel()
	b := openBrowser(t)
	s := serve(t, enginetest.Prefix(t), "--no-curate")
	all := os.Getenv("AGENTLORE_LONG") != ""
	pages := []string{"/", "/web/analytics"}
	var bulk bytes.Buffer
	items, lines := make([][]string, len(payloads)), make([][]byte, len(payloads))
	inParallel(len(payloads), 3, func(i int) { items[i], lines[i] = storePayload(t, s, i, payloads[i]) })
	if t.Failed() {
		t.FailNow()
	}
	for i, text := range payloads {
		bulk.Write(lines[i])
		query := "/?" + url.Values{"q": {text}}.Encode()
		if all {
			pages = append(append(pages, items[i]...), query)
			continue
		}
		if pages = append(pages, items[i][i%len(items[i])]); i%5 == 0 {
			pages = append(pages, query)
		}
	}
	if status, answer := enginetest.Elasticsearch(t, "POST", "/_bulk?refresh=true", bulk.String()); status != 200 || bytes.Contains(answer, []byte(`"errors":true`)) {
		t.Fatalf("status %d: %.600s", status, answer)
	}
	enginetest.Eventually(t, "all are found", func() bool {
		return decode[page](t, s.get(t, "/submissions").want(t, 200)).Total == int64(len(payloads))
	})
	look := func(path string) {
		t.Helper()
		b.do(chromedp.Navigate(s.base + path))
		if found := evaluate[[]string](b, intruders); len(found) > 0 {
			t.Errorf("%.120s has become %q", path, found)
		}
	}
	for _, path := range pages {
		look(path)
	}
	for _, list := range []string{"knowledge", "patterns", "families", "submissions", "assets", "sources", "suggestions", "safety-flags"} {
		shown := 0
		for path := "/web/" + list; path != ""; path = evaluate[string](b, `(() => { const next = document.querySelector("a[rel=next]"); return next ? next.pathname + next.search : "" })()`) {
			look(path)
			shown += evaluate[int](b, `document.querySelectorAll(".rows > li").length`)
		}
		if shown < len(payloads) {
			t.Errorf("/web/%s shows %d items of %d", list, shown, len(payloads))
		}
	}
	// The script that searches while one types puts pages into a page.
	b.do(chromedp.Navigate(s.base+"/"), chromedp.SendKeys("#q", payloads[8]))
	b.until("results come while one types", `location.search.includes("onerror") && !document.querySelector("form[aria-busy]")`)
	if found := evaluate[[]string](b, intruders); len(found) > 0 {
		t.Errorf("searching while typing has made %q", found)
	}
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("heard %v", heard)
	}
}
