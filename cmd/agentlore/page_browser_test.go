package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"agentlore/enginetest"
)

// fillForPeople stores what the tests of the page look for.
func fillForPeople(t *testing.T, s *service) {
	t.Helper()
	me := s.register(t, "writes-for-people")
	for i := range 14 {
		s.submit(t, me, map[string]any{
			"summary": fmt.Sprintf("Allowance trouble %d: approve reverts on a token of kind %d", i, i), "category": []string{"failure", "security"}[i%2],
			"content": "The second approve call reverts while the old allowance is above zero.", "ecosystem": []string{"ethereum", "solana"}[i%2],
		})
	}
	enginetest.Eventually(t, "all are found", func() bool {
		return decode[page](t, s.get(t, "/search/all?q=allowance").want(t, 200)).Total == 14
	})
}

// A person searches, narrows, turns the page, opens an item, registers an agent and copies its token.
func TestPeopleUseThePage(t *testing.T) {
	t.Parallel()
	b := openBrowser(t)
	s := serve(t, enginetest.Prefix(t), "--no-curate")
	fillForPeople(t, s)

	b.do(chromedp.Navigate(s.base+"/"), chromedp.SendKeys("#q", "alowance"))
	b.until("results come while one types", `document.querySelectorAll("#found h3 a").length >= 10 && location.search === "?q=alowance"`)
	b.until("what was found is said aloud", `document.getElementById("said").textContent.startsWith("14 results")`)
	b.until("the spelling is corrected", `document.querySelector(".mean a").textContent === "allowance"`)
	if !evaluate[bool](b, `document.activeElement.id === "q"`) {
		t.Error("the field loses the focus while one types")
	}
	b.do(chromedp.Click(`//nav[@aria-label="Filters"]//a[contains(., "solana")]`))
	b.until("the filter narrows", `location.search.includes("ecosystem=solana") && document.querySelectorAll("#found .rows > li").length === 7`)
	if !evaluate[bool](b, `[...document.querySelectorAll("#found .rows > li")].every(li => li.innerText.includes("solana"))`) {
		t.Error("a result is of another ecosystem")
	}
	b.do(chromedp.Click(".active a"))
	b.until("the filter is gone", `!location.search.includes("ecosystem") && document.querySelectorAll("#found .rows > li").length === 10`)
	first := evaluate[[]string](b, `[...document.querySelectorAll("#found h3 a")].map(a => a.pathname)`)
	b.do(chromedp.Click(`a[rel=next]`))
	b.until("the next page has the rest", `location.search.includes("offset=10") && document.querySelectorAll("#found .rows > li").length === 4`)
	for _, href := range evaluate[[]string](b, `[...document.querySelectorAll("#found h3 a")].map(a => a.pathname)`) {
		if strings.Contains(strings.Join(first, " "), href) {
			t.Errorf("%s is on both pages", href)
		}
	}
	b.do(chromedp.Click(`#found h3 a`))
	b.until("the item opens", `location.pathname.startsWith("/web/submissions/") && document.querySelector("h1").textContent.includes("Allowance trouble")`)
	if text := evaluate[string](b, `document.querySelector("main").innerText`); !strings.Contains(text, "old allowance is above zero") || !strings.Contains(text, "writes-for-people") || !strings.Contains(text, "1 raw") {
		t.Errorf("the item lacks its text, its source or its tier: %.600s", text)
	}

	b.do(chromedp.Navigate(s.base+"/portal"), chromedp.SetValue("#name", "writes-for-people"), chromedp.SetValue("#owner", "me"), chromedp.Click("form.portal button"))
	b.until("a taken name is said at its field", `document.querySelector("#name[aria-invalid=true]") && document.getElementById("name-fault").textContent.includes("taken")`)
	b.until("and told to who can't see it", `document.activeElement === document.querySelector("[role=alert]")`)
	b.do(chromedp.SetValue("#name", "made-in-a-browser"), chromedp.Click("form.portal button"))
	b.until("the token is shown", `/^agl-[a-z0-9]{40}$/.test(document.getElementById("token")?.textContent)`)
	b.do(chromedp.Click(`button[data-copy=token]`))
	b.until("the token is copied", `document.querySelector("button[data-copy=token]").textContent === "Copied"`)
	token := evaluate[string](b, `document.getElementById("token").textContent`)
	if copied := b.clipboard(); copied != token {
		t.Errorf("the clipboard has %d characters, not the token", len(copied))
	}
	s.submit(t, agent{token: token}, observation("sent with the token that a browser showed"))
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("heard %v", heard)
	}
}

// Reading and searching work with script off.
func TestPageWithoutScript(t *testing.T) {
	t.Parallel()
	b := openBrowser(t)
	s := serve(t, enginetest.Prefix(t), "--no-curate")
	fillForPeople(t, s)
	b.withoutScript()

	b.do(chromedp.Navigate(s.base+"/"), chromedp.SetValue("#q", "alowance"), chromedp.Submit("form.search"))
	b.until("the form searches", `location.search === "?q=alowance" && document.querySelectorAll("#found h3 a").length >= 10`)
	b.do(chromedp.Click(`//nav[@aria-label="Filters"]//a[contains(., "security")]`))
	b.until("a filter narrows", `location.search.includes("category=security") && document.querySelectorAll("#found .rows > li").length === 7`)
	b.do(chromedp.Click(`#found h3 a`))
	b.until("an item opens", `location.pathname.startsWith("/web/submissions/")`)
	b.do(chromedp.Navigate(s.base+"/?q=allowance"), chromedp.Click(`a[rel=next]`))
	b.until("the next page comes", `location.search.includes("offset=10") && document.querySelectorAll("#found .rows > li").length === 4`)
	if evaluate[int](b, `[...document.querySelectorAll("button[data-copy]")].filter(button => !button.hidden).length`) != 0 {
		t.Error("a button is shown that does nothing")
	}
}
