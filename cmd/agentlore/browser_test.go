package main

import (
	"context"
	"os/exec"
	"sync"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is a tab of a real browser.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu     sync.Mutex
	alarms []string // dialogs that opened and exceptions that nobody caught
}

// openBrowser starts a browser for a test, or skips the test where there is none.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium here: with it (Debian: apt-get install chromium) this test looks at the page in a browser")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU)
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, stopTab := chromedp.NewContext(ctx)
	t.Cleanup(stopTab)
	b := &browser{t: t, ctx: ctx}
	b.do(chromedp.Navigate("about:blank"))
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	return b
}

// hear notes what only a script that got in would do, and our own script's faults.
func (b *browser) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch event := event.(type) {
	case *cdp.EventJavascriptDialogOpening:
		b.alarms = append(b.alarms, "dialog: "+event.Message)
		go func() { // from outside of the listener, which must not wait for an answer
			_, _ = chromedp.Call(b.ctx, cdp.HandleJavaScriptDialog, cdp.HandleJavaScriptDialogParams{})
		}()
	case *runtime.EventExceptionThrown:
		b.alarms = append(b.alarms, "exception: "+event.ExceptionDetails.Text)
	}
}

// heard returns what was noted.
func (b *browser) heard() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.alarms
}

// do runs steps that must work.
func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// scheme shows pages in dark or light colours.
func (b *browser) scheme(name string) {
	b.t.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		b.t.Fatal(err)
	}
}

// withoutScript switches script off.
func (b *browser) withoutScript() {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		b.t.Fatal(err)
	}
}

// clipboard returns the text that was copied last.
func (b *browser) clipboard() string {
	b.t.Helper()
	allowed := cdpbrowser.SetPermissionParams{Permission: &cdpbrowser.PermissionDescriptor{Name: "clipboard-read"}, Setting: cdpbrowser.PermissionSettingGranted}
	if _, err := chromedp.CallBrowser(b.ctx, cdpbrowser.SetPermission, allowed); err != nil {
		b.t.Fatal(err)
	}
	return evaluate[string](b, `navigator.clipboard.readText()`)
}

// evaluate returns the value of an expression in the page.
func evaluate[T any](b *browser, expression string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%.200s: %v", expression, err)
	}
	return value
}

// until waits until an expression in the page is true. While a page is left, expressions fail: that is no answer.
func (b *browser) until(what, expression string) {
	b.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		if holds, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](expression)); err == nil && holds {
			return
		}
		select {
		case <-b.ctx.Done():
			b.t.Fatalf("%s: %v", what, b.ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
	text, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`location.href + "\n" + document.querySelector("main")?.innerText.slice(0, 600)`))
	b.t.Fatalf("%s: not within a minute; the page is %s", what, text)
}
