package tracker

import (
	"strings"
	"testing"
	"time"
)

// What the asker or a maintainer says later takes a resolution away, or leaves it to be read first. When in doubt there
// is none.
func TestLaterWordsTakeAResolutionAway(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	people := map[string]Person{
		"asks": {Handle: "asks"}, "keeps": {Handle: "keeps", Role: Maintainer}, "one": {Handle: "one"}, "two": {Handle: "two"},
	}
	const advice, thanks = "one: Set `lane.spool = off` and restart it.", "asks: That worked, thanks!"
	for form, c := range map[string]struct {
		said    []string // who: what; a star before it: accepted
		body    string
		kind    Kind
		says    string
		vouched bool
	}{
		"thanks, and closed":  {[]string{advice, thanks, "keeps: Great, closing."}, "", Confirmed, "lane.spool", true},
		"thanks, and welcome": {[]string{advice, thanks, "keeps: Glad to hear it!"}, "", Confirmed, "lane.spool", true},
		"thanks, and more": {[]string{advice, thanks, "keeps: Which version of the lane is that on your side, 2 or 3? It matters for the docs."},
			"", Confirmed, "lane.spool", false},
		"a maintainer is against it":  {[]string{advice, thanks, "keeps: Please undo this, `lane.spool` guards your funds."}, "", None, "", false},
		"a maintainer warns":          {[]string{advice, thanks, "keeps: Careful with that: anybody may write then."}, "", None, "", false},
		"a maintainer warned before":  {[]string{advice, "keeps: Do not do that, it is insecure.", thanks}, "", None, "", false},
		"a maintainer knows better":   {[]string{advice, thanks, "keeps: Don't do this. The proper fix is to raise `lane.wait` to 9."}, "", Corrected, "lane.wait", true},
		"one's own correction":        {[]string{"keeps: Set `lane.wait` to 5.", thanks, "keeps: Correction: set `lane.wait` to 9, 5 loses blocks."}, "", Corrected, "to 9", true},
		"a correction that is denied": {[]string{advice, "keeps: Use `lane.wait = 9` instead.", "asks: Nope, nothing changed."}, "", None, "", false},
		"accepted, then a warning":    {[]string{"*one: Set `lane.spool = off`.", "keeps: This is wrong, it turns the guard off."}, "", None, "", false},
		"too early":                   {[]string{advice, thanks, "asks: I spoke too soon."}, "", None, "", false},
		"broke again":                 {[]string{advice, thanks, "asks: And it broke again this night."}, "", None, "", false},
		"back again":                  {[]string{advice, thanks, "asks: Hmm, it is back."}, "", None, "", false},
		"taken back":                  {[]string{advice, thanks, "asks: I take this back, sorry."}, "", None, "", false},
		"actually":                    {[]string{advice, thanks, "asks: Actually the restart alone hides it."}, "", None, "", false},
		"one message less, and more":  {[]string{advice, "asks: That fixed the warning, but now all balances are wrong."}, "", None, "", false},
		"bitter thanks":               {[]string{advice, "asks: That worked so well that my whole database is gone."}, "", None, "", false},
		"a cause of the asker's own":  {[]string{advice, "asks: Works now. I had a typo in the address, `lane.spool` had nothing to do with it."}, "", None, "", false},
		"another's helped":            {[]string{advice, "two: Delete the cache.", "asks: Thanks @two, but the setting of @one solved it."}, "", Confirmed, "lane.spool", true},
		"another's helped, in few words": {[]string{"one: Set `lane.wait=9`.", "two: Delete the cache of the lane.",
			"asks: Thanks @two for the hint, but @one has it right, that solved it."}, "", Confirmed, "lane.wait", true},
		"who is named said nothing": {[]string{"one: Is it broken?", "two: Delete the cache of the lane.",
			"asks: Thanks, @one, that solved it."}, "", None, "", false},
		"found by the asker":    {[]string{"asks: Never mind, found it: ntp was off, `systemctl start ntp` and it signs."}, "", OwnAnswer, "ntp", false},
		"found, and told later": {[]string{"asks: Found it! ntp was off; I ran `systemctl start ntp`."}, "", OwnAnswer, "ntp", false},
		"a reason":              {[]string{"asks: The reason was ntp. After `systemctl start ntp` it signs."}, "", OwnAnswer, "ntp", false},
		"never mind":            {[]string{"asks: Never mind, it works."}, "", None, "", false},
		"answered, and closed weeks later": {[]string{"keeps: Both use one name. Give each its own by `lane.name`.",
			"later", "keeps: I hear nothing, so I assume this answered it. Closing."}, "", Closing, "lane.name", false},
		"asked, and closed weeks later": {[]string{"keeps: Could it be that both use `lane.name`?",
			"later", "keeps: I hear nothing, so I assume this answered it. Closing."}, "", None, "", false},
		"answered, and closed as stale": {[]string{"keeps: Give each its own name by `lane.name`.",
			"later", "keeps: No activity. Closing as stale."}, "", None, "", false},
		"with it, worse":      {[]string{advice, "asks: With this it starts to swap."}, "", None, "", false},
		"worked, and a but":   {[]string{advice, "asks: That worked. However the disk fills up."}, "", Confirmed, "spool", false},
		"worked, with more":   {[]string{advice, "asks: It worked after I also moved the files."}, "", Confirmed, "spool", false},
		"the same":            {[]string{advice, "asks: Confirmed, same for me."}, "", None, "", false},
		"a finding confirmed": {[]string{"one: A bug, found with `lane 2.1` here.", "asks: Confirmed."}, "", Confirmed, "lane 2.1", false},
		"another is thanked": {[]string{advice, "keeps: Set `lane.spool = slow` instead.", "asks: Thanks @one, that works"},
			"", Corrected, "slow", false},
		"advised against":              {[]string{advice, thanks, "keeps: I advise against that."}, "", None, "", false},
		"an output asked for":          {[]string{"keeps: Run `lane doctor` and post its output."}, "", None, "", false},
		"an output needed":             {[]string{"keeps: You need to provide the log of `lane doctor`."}, "", None, "", false},
		"a try":                        {[]string{"keeps: I tried `lane doctor` here and see nothing."}, "", None, "", false},
		"another program":              {[]string{"asks: I found a solution: I switched to another client, use what you like."}, "", None, "", false},
		"me too in between":            {[]string{"keeps: Set `lane.wait` to 9.", "two: Same for us. We run `lane --fast` and restart it daily.", thanks}, "", Confirmed, "lane.wait", true},
		"words of the one before":      {[]string{"one: Delete the cache folder.", "two: Or run `lane doctor`.", "asks: Deleting the cache worked."}, "", None, "", false},
		"the question is edited":       {[]string{"*one: Call `unpin()`."}, "It stops.\n\nEDIT: the accepted answer no longer works, `unpin` is gone.", None, "", false},
		"the question tells of more":   {[]string{"*one: Call `unpin()`."}, "It stops.\n\nUpdate: the answer of Kim is the better solution.", Accepted, "unpin", false},
		"the question tells a version": {[]string{"*one: Call `unpin()`."}, "It stops, and nothing works.\n\nEdit: on 3.1.", Accepted, "unpin", true},
		"a warning alone":              {[]string{"keeps: Whatever you do, never set `lane.spool = off`."}, "", None, "", false},
		"a warning and an advice":      {[]string{"keeps: Don't delete the cache. Raise `lane.wait` to 9."}, "", Closing, "lane.wait", false},
	} {
		at := at
		thread := Thread{Post: Post{Title: "It stops", Body: c.body}, Asker: people["asks"], Closed: true}
		for i, line := range c.said {
			if line == "later" {
				at = at.AddDate(0, 0, 9)
				continue
			}
			who, what, _ := strings.Cut(line, ": ")
			name, accepted := strings.CutPrefix(who, "*")
			thread.Comments = append(thread.Comments, Comment{
				Post: Post{Body: what}, Author: people[name], Accepted: accepted,
				CreatedAt: at.Add(time.Duration(i) * time.Minute),
			})
		}
		thread.ClosedAt = at.Add(time.Duration(len(c.said)) * time.Minute)
		choice := Choose(thread)
		if choice.Kind == OwnAnswer && choice.Doubt != "" {
			t.Errorf("%s: of what is never trusted there is a doubt, %s", form, choice.Doubt)
		}
		if choice.Kind != c.kind || choice.Vouched() != c.vouched || !strings.Contains(choice.Text, c.says) {
			t.Errorf("%s: %q, vouched %t (%s), %q", form, choice.Kind, choice.Vouched(), choice.Doubt, choice.Text)
		}
	}
}

// What can do harm, or leads elsewhere, and isn't a maintainer's, is to be read before it is trusted.
func TestWhatIsToBeReadFirst(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Set `lane.wait = 9` and restart it.":                     false,
		"Delete `data/lane` and sync again.":                      false,
		"Upgrade to 2.4.0.":                                       false,
		"Divide by 2 // and round up.":                            false,
		"Load it by `import('//lane-help.io/a.js')`.":             true,
		"Open the console of the browser and paste `lane.fix()`.": true,
		"Paste this into the console: `lane.fix()`":               true,
		"Add `lanefix` to the plugins of the settings.":           true,
		"Install the package `lanefix`.":                          true,
		"Run `chmod -R 777 ~/.lane`.":                             true,
		"Run `sudo lane unlock`.":                                 true,
		"Run `rm -rf /srv/lane`.":                                 true,
		"Get it by `wget lane-help.io/a`.":                        true,
		"Copy `localStorage.vault` to the new one.":               true,
		"Export your keys and load them again.":                   true,
		"Set `tls.verify = false`.":                               true,
		"Pin it to `lanes/lane:2.1-fixed`.":                       true,
		"See `src/lane.go:88`.":                                   false,
		"Pass `--insecure` to it.":                                true,
		"Use the lаne helper.":                                    true, // a Cyrillic letter
	} {
		if got := mayHarm(text); got != want {
			t.Errorf("%q may harm: %t", text, got)
		}
	}
	asker, helper := Person{Handle: "asks"}, Person{Handle: "one"}
	thread := Thread{Asker: asker, Comments: []Comment{
		{Post: Post{Body: "Run `chmod -R 777 ~/.lane` and restart."}, Author: helper, CreatedAt: time.Unix(1, 0)},
		{Post: Post{Body: "That worked, thanks!"}, Author: asker, CreatedAt: time.Unix(2, 0)},
	}}
	if choice := Choose(thread); choice.Kind != Confirmed || choice.Vouched() {
		t.Errorf("taken is %+v", choice)
	}
	thread.Comments[0].Author.Role = Maintainer
	if choice := Choose(thread); !choice.Vouched() {
		t.Errorf("a maintainer's is %+v", choice)
	}
}
