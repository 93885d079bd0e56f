package curator

import (
	"strings"

	"agentlore/lore"
)

// Words of fetching and running.
var (
	fetchers = setOf("curl wget iwr irm invoke-webrequest invoke-restmethod aria2c")
	shells   = setOf(`sh bash zsh fish python python3 node perl ruby iex pwsh powershell powershell.exe sudo deno bun
		eval source dash ksh php osascript`)
	fetches = setOf(`download downloading downloaded fetch fetching fetched grab grabbing grabbed clone cloning
		cloned curl wget pull pulling pulled get getting got take save saved`)
	runs = setOf(`run running ran execute executing executed launch launching launched start starting started bash sh
		chmod source double-click`)
	// programs are what is run when it was fetched.
	programs = setOf(`script scripts binary binaries installer patcher patch executable tool zip helper hotfix setup
		exe build archive release agent daemon snippet gist program utility bundle tarball repo repository file`)
	pronouns = setOf("it them this that")
)

// download finds what is fetched and run.
func (r *fixReader) download(i int) {
	w := r.words[i]
	switch {
	case w.is(fetchers) && !r.negated(i):
		r.pipedToShell(i)
	case w.low == "base64" || w.low == "atob" || w.low == "b64decode" || strings.HasPrefix(w.low, "base64."):
		r.encodedCommand(i)
	case strings.HasPrefix(w.low, "-enc") && r.holds(i-4, i, shells) >= 0:
		r.ask(lore.ActRunsDownload, "an encoded command")
	case w.low == "chmod" && strings.Contains(r.low(i+1), "x") && !r.negated(i):
		r.madeExecutable(i)
	case w.is(fetches) && r.isAsked(i) && !w.is(fetchers):
		r.fetchedAndRun(i)
	case (w.low == "run" || w.low == "execute" || w.low == "running" || w.low == "ran") && r.isAsked(i):
		r.runFrom(i)
	}
}

// pipedToShell reads curl URL | sh, bash <(curl URL), sh -c "$(curl URL)", curl -o x URL && sh x.
func (r *fixReader) pipedToShell(i int) {
	for j := max(0, i-3); j < i; j++ {
		if r.is(j, shells) && r.words[j].ends == goesOn && r.low(j) != "node" {
			r.ask(lore.ActRunsDownload, r.hostBetween(i, r.clause(i, 10)))
			return
		}
	}
	for j := i + 1; j < len(r.words) && j < i+16; j++ {
		next := r.low(j + 1)
		if r.words[j].low == "|" && (isIn(next, shells) || isIn(strings.TrimPrefix(next, "/bin/"), shells) ||
			strings.HasPrefix(next, "./") || next == "chmod") ||
			(r.words[j].low == "and" || r.words[j].low == "then") && (isIn(next, shells) && next != "node" ||
				isIn(next, runs) && r.holds(j+2, j+5, pronouns) >= 0 || next == "pipe") {
			r.ask(lore.ActRunsDownload, r.hostBetween(i, j+1))
			return
		}
	}
}

// encodedCommand reads base64 -d | sh, eval(atob(...)), and prose that says so.
func (r *fixReader) encodedCommand(i int) {
	for j := max(0, i-12); j < min(len(r.words), i+12); j++ {
		w := r.words[j]
		piped := w.is(shells) && r.low(j-1) == "|"
		called := (w.low == "exec" || w.low == "eval" || w.low == "function") && (r.isCall(j) || w.low == "eval")
		told := w.is(runs) && (r.holds(j+1, j+4, pronouns) >= 0 || r.holdsWord(j+1, j+4, "result") ||
			r.holdsWord(j+1, j+4, "output"))
		if (piped || called || told) && !r.negated(j) {
			r.ask(lore.ActRunsDownload, "an encoded command")
			return
		}
	}
}

// madeExecutable reads chmod +x x && ./x.
func (r *fixReader) madeExecutable(i int) {
	for j := i + 2; j < len(r.words) && j < i+14; j++ {
		if strings.HasPrefix(r.text[max(0, r.words[j].at-1):], "./") || strings.HasPrefix(r.words[j].text, "./") ||
			r.is(j, runs) {
			r.ask(lore.ActRunsDownload, r.hostBetween(i-14, i))
			return
		}
	}
}

// fetchedAndRun reads prose: download the tool and run it.
func (r *fixReader) fetchedAndRun(i int) {
	end := min(len(r.words), i+24)
	if r.words[i].low == "get" || r.words[i].low == "take" || r.words[i].low == "got" || r.words[i].low == "getting" ||
		strings.HasPrefix(r.words[i].low, "save") {
		if r.holds(i+1, r.sentence(i, 8), programs) < 0 {
			return
		}
	}
	thing := r.holds(i+1, r.sentence(i, 10), programs)
	host := r.hostBetween(i, end)
	if thing < 0 && host == "" {
		return
	}
	for j := i + 2; j < end; j++ {
		w := r.words[j]
		if !w.is(runs) || r.negated(j) {
			continue
		}
		for k := j + 1; k < min(end, j+5); k++ {
			next := r.words[k]
			if next.is(pronouns) || next.is(programs) || strings.HasPrefix(next.text, "./") ||
				strings.HasSuffix(next.low, ".sh") || strings.HasSuffix(next.low, ".exe") ||
				strings.HasSuffix(next.low, ".py") || w.low == "chmod" {
				r.ask(lore.ActRunsDownload, host)
				return
			}
		}
	}
	if r.low(i) == "clone" && r.low(i-1) == "git" {
		for j := i + 2; j < end; j++ {
			if r.low(j) == "|" && buildTools[r.low(j+1)] {
				r.ask(lore.ActRunsDownload, host)
				return
			}
		}
	}
}

var buildTools = namesOf(`make npm pnpm yarn bun cargo go python python3 pip bash sh ./install.sh ./run.sh node
	docker forge uv poetry npx`)

// runFrom reads "run the script from HOST".
func (r *fixReader) runFrom(i int) {
	end := r.sentence(i, 12)
	if thing := r.holds(i+1, min(end, i+7), programs); thing >= 0 {
		if host := r.hostBetween(thing, end); host != "" {
			r.ask(lore.ActRunsDownload, host)
		}
	}
}

// hostBetween returns the first host that is named between two places.
func (r *fixReader) hostBetween(from, to int) string {
	for i := max(0, from); i < min(to, len(r.words)); i++ {
		if r.words[i].host != "" {
			return r.words[i].host
		}
	}
	return ""
}
