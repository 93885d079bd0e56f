package main

import (
	"os"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"agentlore/enginetest"
)

// axePath is where scripts/axe puts axe-core, a judge of accessibility.
const axePath = "../../.agentlore/axe/axe.min.js"

// violation is what axe-core finds wrong.
type violation struct {
	ID     string   `json:"id"`
	Impact string   `json:"impact"`
	Help   string   `json:"help"`
	Where  []string `json:"where"`
}

// No page has a serious fault of accessibility, in light or dark, on a wide screen or a phone.
func TestPagesAreAccessible(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile(axePath)
	if err != nil {
		t.Skip("no axe-core here: scripts/axe fetches it")
	}
	b := openBrowser(t)
	s := serve(t, enginetest.Prefix(t), "--no-curate")
	pages := showcase(t, s, "approve() reverts unless the allowance is zero first: `forceApprove`\n\n```\ntoken.approve(spender, 0);\n```")
	if len(pages) < 20 {
		t.Fatal("where are the pages?")
	}
	check := func(where string) {
		t.Helper()
		b.do(chromedp.Evaluate[chromedp.Void](string(axe)))
		found := evaluate[[]violation](b, `axe.run().then(r => r.violations.map(v => ({id: v.id, impact: v.impact, help: v.help, where: v.nodes.slice(0, 3).map(n => n.html.slice(0, 160))})))`)
		for _, v := range found {
			if slices.Contains([]string{"serious", "critical"}, v.Impact) {
				t.Errorf("%s: %s (%s): %s %q", where, v.ID, v.Impact, v.Help, v.Where)
			} else {
				t.Logf("%s: %s (%s): %s %q", where, v.ID, v.Impact, v.Help, v.Where)
			}
		}
	}
	for _, screen := range []struct {
		scheme string
		width  int64
	}{{"light", 1440}, {"dark", 390}} {
		b.scheme(screen.scheme)
		b.do(chromedp.EmulateViewport(screen.width, 900))
		for _, path := range pages {
			b.do(chromedp.Navigate(s.base + path))
			check(screen.scheme + " " + path)
			if wide := evaluate[int64](b, `document.documentElement.scrollWidth`); wide > screen.width {
				t.Errorf("%s is %d wide on a screen of %d", path, wide, screen.width)
			}
		}
		name := "seen-in-" + screen.scheme
		b.do(chromedp.Navigate(s.base+"/portal"), chromedp.SetValue("#name", "shows-all"), chromedp.SetValue("#owner", "me"), chromedp.Click("form.portal button"))
		b.until("an error", `!!document.querySelector(".fault")`)
		check(screen.scheme + " portal with an error")
		b.do(chromedp.SetValue("#name", name), chromedp.Click("form.portal button"))
		b.until("a token", `!!document.getElementById("token")`)
		check(screen.scheme + " token")
	}
}

// weight is what a page cost the browser.
type weight struct {
	Paint float64 `json:"paint"` // ms until the first content is seen
	Bytes int     `json:"bytes"` // of the page and all that it loads, with headers
}

// A page is seen within a second and weighs less than 100 kB with all that it loads. Of three loads the quickest counts: what
// else the machine does is none of the page's.
func TestPagesAreQuick(t *testing.T) {
	enginetest.Long(t)
	b := openBrowser(t)
	s := serve(t, enginetest.Prefix(t), "--no-curate")
	for _, path := range showcase(t, s, "approve reverts unless the allowance is zero first") {
		best := weight{Paint: 1e9}
		for range 3 {
			b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(s.base+path))
			b.until("the page is painted", `performance.getEntriesByName("first-contentful-paint").length === 1`)
			seen := evaluate[weight](b, `({paint: performance.getEntriesByName("first-contentful-paint")[0].startTime,
				bytes: [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].reduce((sum, e) => sum + (e.encodedBodySize || 0), 0)})`)
			best.Paint, best.Bytes = min(best.Paint, seen.Paint), max(best.Bytes, seen.Bytes)
		}
		if t.Logf("%4.0f ms, %6d bytes: %s", best.Paint, best.Bytes, path); best.Paint >= 1000 || best.Bytes > 100_000 {
			t.Errorf("%s: first paint after %.0f ms, want less than 1,000; %d bytes, want at most 100,000", path, best.Paint, best.Bytes)
		}
	}
}
