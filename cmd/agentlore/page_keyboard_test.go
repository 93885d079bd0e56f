package main

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"agentlore/enginetest"
)

// Whoever has a keyboard alone skips the navigation, pastes a log, reads what it is, copies what to do and opens the
// item. What has the focus is seen.
func TestThePageByKeyboardAlone(t *testing.T) {
	t.Parallel()
	b := openBrowser(t)
	prefix := enginetest.Prefix(t)
	if status, _, stderr := run(t, append([]string{"import", "--reference"}, storeFlags(t, prefix)...)...); status != 0 {
		t.Fatal(stderr)
	}
	s := serve(t, prefix, "--no-curate")
	// tabTo presses the tabulator until what an expression describes has the focus, and looks that it shows.
	tabTo := func(what, holds string) {
		t.Helper()
		for range 40 {
			if evaluate[bool](b, `!!document.activeElement && !!(e => `+holds+`)(document.activeElement)`) {
				if !evaluate[bool](b, `(e => { const s = getComputedStyle(e); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0 })(document.activeElement)`) {
					t.Errorf("%s has the focus, and nothing shows it", what)
				}
				return
			}
			b.do(chromedp.KeyEvent(kb.Tab))
		}
		t.Fatalf("the tabulator never comes to %s", what)
	}
	b.do(chromedp.Navigate(s.base + "/web/questions"))
	tabTo("the link that skips the navigation", `e.className === "skip"`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until("the content has the focus", `document.activeElement.id === "main"`)

	b.do(chromedp.Navigate(s.base + "/"))
	tabTo("the whole log", `e.pathname === "/web/ask"`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until("the form is there and has the focus", `document.activeElement.id === "text"`)
	b.do(chromedp.KeyEvent("FailedOp(0, \"AA25 invalid account nonce\")"))
	tabTo("the button", `e.type === "submit"`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until("the answer is there", `!!document.querySelector("article.answer")`)
	tabTo("the button that copies", `e.dataset.copy === "fix"`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until("it is copied", `document.activeElement.textContent === "Copied"`)
	if copied := b.clipboard(); len(copied) < 100 {
		t.Errorf("the clipboard has %q", copied)
	}
	b.do(chromedp.Navigate(s.base + "/?q=AA25+invalid+account+nonce"))
	tabTo("the answer's item", `e.closest("article.answer h2")`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until("the item is there", `location.pathname.startsWith("/web/knowledge/")`)
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("heard %v", heard)
	}
}
