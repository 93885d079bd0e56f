// What the page does besides what its links and forms do: search as one types, and copy buttons. Without it everything can
// still be read and searched.
"use strict";

const said = document.getElementById("said");
const say = (text) => { if (said) said.textContent = text; };

// The browser refuses text as HTML from anything but this policy. It is for pages of our own server alone, which has
// escaped whatever is stored in them.
const ours = window.trustedTypes
  ? trustedTypes.createPolicy("agentlore", { createHTML: (html) => html })
  : { createHTML: (html) => html };

function searchAsOneTypes(form) {
  const input = form.elements.q;
  const pause = 160; // ms without a key before it searches
  let timer, running, shown = input.value.trim();

  async function search(keep) {
    clearTimeout(timer);
    const query = input.value.trim();
    if (query === shown && !keep) return;
    if (running) running.abort();
    running = new AbortController();
    const mine = running;
    const address = new URL(form.action);
    for (const [name, value] of new FormData(form)) if (value.trim()) address.searchParams.set(name, value.trim());
    form.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(address, { headers: { Accept: "text/html" }, signal: mine.signal });
      const next = new DOMParser().parseFromString(ours.createHTML(await answer.text()), "text/html");
      const found = next.getElementById("found");
      if (mine !== running) return;
      if (!found) {
        say(answer.status === 429 ? "Too many searches: wait a moment." : "The search can't answer now. Press Enter to try again.");
        return;
      }
      const open = document.querySelector("#found .facets[open]");
      if (open) found.querySelector(".facets")?.setAttribute("open", "");
      document.getElementById("found").replaceWith(document.adoptNode(found));
      document.title = next.title;
      shown = query;
      history.replaceState(null, "", address);
      say(found.dataset.said);
    } catch (fault) {
      if (fault.name !== "AbortError") say("The search can't be reached. Press Enter to try again.");
    } finally {
      if (mine === running) form.removeAttribute("aria-busy");
    }
  }

  input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, pause); });
  form.addEventListener("submit", (event) => { event.preventDefault(); search(true); });
}

function copyOnClick(button) {
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    let copied = false;
    try {
      await navigator.clipboard.writeText(source.textContent);
      copied = true;
    } catch { // no clipboard, as over plain HTTP: select it and let the browser's own command do it
      const range = document.createRange();
      range.selectNodeContents(source);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      copied = document.execCommand("copy");
    }
    button.textContent = copied ? "Copied" : "Selected";
    say(copied ? "Copied." : "Selected: press Ctrl+C to copy.");
    setTimeout(() => { button.textContent = label; }, 2000);
  });
}

const form = document.querySelector("form[data-search]");
if (form) searchAsOneTypes(form);
document.querySelectorAll("button[data-copy]").forEach(copyOnClick);
document.querySelector("[data-focus]")?.focus();
