package main

import (
	"strings"
	"testing"
	"time"

	"agentlore/ask"
	"agentlore/enginetest"
)

// An agent whose fix did not help asks again: what it tried is left out, and what the answer told it to look up decides.
func TestAFollowUpDecides(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	if status, _, stderr := run(t, append([]string{"import", "--reference"}, storeFlags(t, prefix)...)...); status != 0 {
		t.Fatal(stderr)
	}
	s := serve(t, prefix)
	follow := func(question map[string]any) ask.Answer {
		return decode[ask.Answer](t, s.send(t, "POST", "/ask", question).want(t, 200))
	}
	const code = "Error processing Instruction 2: custom program error: 0x4"
	first := follow(map[string]any{"text": code})
	if first.Verdict != ask.Similar || !strings.Contains(first.LookUp, "program id") || !strings.Contains(first.Next, "tried") {
		t.Fatalf("of a code that several programs print: %s, look up %q, next %q", first.Verdict, first.LookUp, first.Next)
	}
	second := follow(map[string]any{"text": code, "tried": []string{first.Problem.ID}})
	if second.LeftOut.Tried != 1 || second.Problem == nil || second.Problem.ID == first.Problem.ID {
		t.Errorf("after one was tried: left out %+v, and the problem is %+v", second.LeftOut, second.Problem)
	}
	third := follow(map[string]any{"text": code, "more": "Program TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA failed: custom program error: 0x4"})
	if third.Verdict != ask.Known || !strings.Contains(third.Problem.Title, "owner") || third.LookUp != "" {
		t.Errorf("with the program's id: %s, %+v, look up %q", third.Verdict, third.Problem, third.LookUp)
	}
	s.send(t, "POST", "/ask", map[string]any{"text": code, "tried": []string{"the first one"}}).want(t, 422)
}

// A search for a number that nothing stored has says so: what shares words with it is about another one.
func TestASearchForANumberThatNothingHasSaysSo(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	me := s.register(t, "numbers-"+enginetest.NewPrefix())
	s.submit(t, me, observation("Quokka bridge follows EIP-4337 and CVE-2024-1111"))
	type searched struct {
		page
		Unnamed []string `json:"unnamed"`
	}
	enginetest.Within(t, 10*time.Second, "the number that is stored is found", func() bool {
		got := decode[searched](t, s.get(t, "/search/all?q=CVE-2024-1111").want(t, 200))
		return len(got.Results) > 0 && len(got.Unnamed) == 0
	})
	for _, number := range []string{"CVE-2024-51757", "EIP-9877", "0x1234567890123456789012345678901234567aBc"} {
		got := decode[searched](t, s.get(t, "/search/all?q="+number).want(t, 200))
		if len(got.Results) != 0 || len(got.Unnamed) != 1 {
			t.Errorf("%s: %d results, unnamed %v", number, len(got.Results), got.Unnamed)
		}
	}
}
