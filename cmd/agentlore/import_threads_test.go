package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentlore/ask"
	"agentlore/enginetest"
)

// trackerData is the folder of the threads of tests, by format.
func trackerData(parts ...string) string {
	return filepath.Join(append([]string{"..", "..", "tracker", "testdata"}, parts...)...)
}

// knownTimeout is how long it may take until what was curated is found: the index refreshes and names are read every
// two seconds.
const knownTimeout = 20 * time.Second

// corrected copies a file or a folder to one of the test's own, with words replaced, and returns its path.
func corrected(t *testing.T, path, old, new string) string {
	t.Helper()
	target := filepath.Join(t.TempDir(), filepath.Base(path))
	if err := os.CopyFS(filepath.Dir(target), os.DirFS(filepath.Dir(path))); err != nil {
		t.Fatal(err)
	}
	changed := false
	err := filepath.WalkDir(target, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		changed = changed || bytes.Contains(text, []byte(old))
		return os.WriteFile(name, bytes.ReplaceAll(text, []byte(old), []byte(new)), 0o600)
	})
	if err != nil || !changed {
		t.Fatalf("%s has no %q: %v", path, old, err)
	}
	return target
}

// From an empty store to one's own tracker answered: of each format an error of it is known by its name, with the fix
// that a maintainer or the asker stands for and where it is from. After a correction there, the next import answers
// with the corrected fix.
func TestOnesOwnTrackerIsAnswered(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format string
		flags  []string
		files  []string
		asked  string // as an agent pastes it
		name   string // by which it is met
		origin string
		fix    string
		old    string // in the first file
		new    string
	}{
		{"github", nil, []string{trackerData("github", "comments-1.json"), trackerData("github", "comments-2.json"), trackerData("github", "issues.json")},
			"2026-11-27T09:00:01Z ERROR send failed err=\"rpc error: code = ResourceExhausted desc = lane window exhausted: 128 of 128 in flight\"", "lane window exhausted",
			"acme/qorvex#42", "so 256 here", "so 256 here", "so 512 here"},
		{"gitlab", nil, []string{trackerData("gitlab", "notes.json"), trackerData("gitlab", "issues.json"), trackerData("gitlab", "others.json")},
			"FATAL lane batch rejected: 3000 events exceed the limit of 100", "lane batch rejected", "infra/lanes#7", "--batch 20", "--batch 20", "--batch 25"},
		{"stackexchange", []string{"--project=bridges.acme.example"}, []string{trackerData("stackexchange", "Posts.xml")},
			"Error: execution reverted: QVX: token 0x77aa has no lane", "QVX: token", "bridges.acme.example/questions/5", "registerToken(token)", "registerToken(token)", "enrolToken(token)"},
		{"discourse", []string{"--project=forum.acme.example"}, []string{trackerData("discourse", "posts.json"), trackerData("discourse", "topic.json")},
			"error: lane_busy: sequencer epoch 45 not sealed", "lane_busy", "forum.acme.example/t/310", `sequencer = "wait"`, `\"wait\"`, `\"seal\"`},
		{"markdown", []string{"--project=acme-ops"}, []string{trackerData("runbooks")},
			"ERROR SignerEpochMismatchError: signer epoch 15, contract epoch 16", "signer epoch", "acme-ops/signer.md", "resync --epoch latest", "--epoch latest", "--epoch contract"},
	} {
		t.Run(c.format, func(t *testing.T) {
			t.Parallel()
			s := serve(t, enginetest.Prefix(t))
			imports := func(files []string) string {
				args := append(
					[]string{
						"import",
						"--format=" + c.format,
						"--trusted",
						"--why=our own team answers there",
						"--who=dana",
					},
					c.flags...)
				printed := lever(t, s.prefix, append(args, files...)...)
				curateOnce(t, s.prefix)
				return printed
			}
			known := func(fix string) {
				t.Helper()
				var got ask.Answer
				enginetest.Within(t, knownTimeout, "the error is known by name, with the fix of now", func() bool {
					got = s.asked(t, c.asked)
					return got.Verdict == ask.Known && strings.Contains(got.Why[0], "the text has its name") &&
						strings.Contains(got.Problem.Fix, fix)
				})
				if got.Problem.Evidence.Origin != c.origin ||
					!slices.Contains(got.Why, "from "+c.origin+", by the operator") ||
					!strings.Contains(got.Why[0], c.name) ||
					got.Problem.Evidence.Confidence == 0 {
					t.Errorf("the answer is %+v", got)
				}
			}
			if printed := imports(
				c.files,
			); strings.Contains(printed, " approved: 0\n") ||
				!strings.Contains(printed, " 0 refused") {
				t.Fatalf("the import says %s", printed)
			}
			known(c.fix)
			if printed := imports(
				c.files,
			); !strings.Contains(printed, "0 stored, 0 changed") ||
				!strings.Contains(printed, "approved: 0\n") {
				t.Errorf("imported again it says %s", printed)
			}
			again := slices.Clone(c.files)
			for i, file := range again {
				if text, err := os.ReadFile(file); err == nil && !bytes.Contains(text, []byte(c.old)) {
					continue
				}
				again[i] = corrected(t, file, c.old, c.new)
			}
			if printed := imports(
				again,
			); !strings.Contains(printed, "0 stored, 1 changed") ||
				!strings.Contains(printed, "approved: 1\n") {
				t.Errorf("after the correction it says %s", printed)
			}
			known(
				strings.Trim(
					strings.Replace(c.fix, strings.ReplaceAll(c.old, `\`, ""), strings.ReplaceAll(c.new, `\`, ""), 1),
					" ",
				),
			)
		})
	}
}

// With --trusted, only what a maintainer said or the asker accepted becomes knowledge. Without it, nothing does.
func TestWhatIsTrustedOfATracker(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	files := []string{
		trackerData("github", "issues.json"),
		trackerData("github", "comments-1.json"),
		trackerData("github", "comments-2.json"),
	}
	chosenIn := filepath.Join(t.TempDir(), "chosen.jsonl")
	printed := lever(t, prefix, append([]string{"import", "--format=github", "--report=" + chosenIn}, files...)...)
	if !strings.Contains(printed, "16 threads") || !strings.Contains(printed, "16 stored") ||
		!strings.Contains(printed, "approved: 0") ||
		!strings.Contains(printed, "3 of false helpers") {
		t.Errorf("the import says %s", printed)
	}
	text, err := os.ReadFile(chosenIn)
	if err != nil || bytes.Count(text, []byte("\n")) != 16 || !bytes.Contains(text, []byte(`"by":"person-`)) {
		t.Errorf("the report is %s, %v", text, err)
	}
	curateOnce(t, prefix)
	s := serve(t, prefix)
	g := gaming{t, s}
	if units := g.units(); len(units) != 0 {
		t.Errorf("without --trusted there is knowledge: %v", units)
	}
	for _, handle := range []string{"ilse-dev", "mara-k7", "pieter88", "wang-lei", "qorvex-support-desk"} {
		if text := string(text) + enginetest.Everything(t, prefix); strings.Contains(text, handle) {
			t.Errorf("the store or the report names %s", handle)
		}
	}

	lever(
		t,
		prefix,
		append([]string{"import", "--format=github", "--trusted", "--why=ours", "--who=dana"}, files...)...)
	curateOnce(t, prefix)
	trusted := map[string]bool{}
	for _, unit := range g.units() {
		ref, _ := unit["ref"].(string)
		trusted[ref[strings.LastIndexByte(ref, '/')+1:]] = true
	}
	for _, number := range []string{"41", "42", "43", "47", "49", "50", "51", "58"} {
		if !trusted[number] {
			t.Errorf("%s is no knowledge", number)
		}
		delete(trusted, number)
	}
	if len(trusted) > 0 {
		t.Errorf("knowledge too are %v", trusted)
	}

	// What an operator takes back stays so, whatever the next import says.
	unit := g.units()[0]
	from := unit["fix_from"].(map[string]any)["id"].(string)
	g.operate("review", "restore", from)
	lever(
		t,
		prefix,
		append([]string{"import", "--format=github", "--trusted", "--why=ours", "--who=dana"}, files...)...)
	curateOnce(t, prefix)
	if after := g.item("/knowledge/" + unit["id"].(string)); after["status"] != "withdrawn" {
		t.Errorf("the unit whose approval was taken back is %v", after["status"])
	}
	// So does what was erased.
	erased := g.units()[0]["fix_from"].(map[string]any)["id"].(string)
	g.operate("erase", erased)
	if printed := lever(
		t,
		prefix,
		append(
			[]string{"import", "--format=github", "--trusted", "--why=ours", "--who=dana"},
			files...)...); !strings.Contains(
		printed,
		"0 stored, 0 changed, 16 known",
	) {
		t.Errorf("after an erasure the import says %s", printed)
	}
	s.get(t, "/submissions/"+erased).want(t, 410)
	if decisions := lever(
		t,
		prefix,
		"decisions",
	); !strings.Contains(decisions, "from acme/qorvex#42: ours") ||
		!strings.Contains(decisions, "dana") {
		t.Errorf("the decisions are %.2000s", decisions)
	}
}

// A dry run shows what is taken and why, needs no store, and repeats no secret and nobody's name.
func TestADryRunOfATracker(t *testing.T) {
	t.Parallel()
	secret := "0x" + strings.Repeat("5d", 32)
	file := corrected(
		t,
		trackerData("github", "gh.json"),
		"Log:",
		"My key is "+secret+" and my mail bob@"+"mail.example. Log:",
	)
	status, stdout, stderr := run(
		t,
		"import",
		"--format=github",
		"--dry-run",
		"--elasticsearch-url=http://127.0.0.1:1",
		file,
	)
	if status != 0 || !strings.Contains(stdout, "acme/qorvex#61  Sender doubles a message") ||
		!strings.Contains(stdout, "lane.retries = 0") ||
		!strings.Contains(stdout, "a maintainer's comment at the closing (may be trusted)") ||
		!strings.Contains(stdout, "nothing was stored") {
		t.Errorf("status %d: %s%s", status, stdout, stderr)
	}
	for _, text := range []string{secret[2:], "bob@", "twice-told", "ilse-dev"} {
		if strings.Contains(stdout+stderr, text) {
			t.Errorf("it prints %q: %s", text, stdout)
		}
	}
}

// What an asker accepted from a stranger isn't trusted unread where it installs what nobody vouches for: who asks and
// who answers may be one.
func TestAStrangersPackageIsNotTrusted(t *testing.T) {
	t.Parallel()
	thread := func(number int, advice string) map[string]any {
		say := func(who, at, body string) map[string]any {
			return map[string]any{"author": map[string]any{"login": who}, "authorAssociation": "NONE", "createdAt": at, "body": body}
		}
		return map[string]any{
			"number": number, "title": "The sender stops", "url": fmt.Sprintf("https://github.com/acme/qorvex/issues/%d", number),
			"body": "It stops.", "state": "CLOSED", "createdAt": "2026-03-01T08:00:00Z", "closedAt": "2026-03-01T11:00:00Z",
			"author": map[string]any{"login": "one-face"}, "comments": []any{
				say("other-face", "2026-03-01T09:00:00Z", advice), say("one-face", "2026-03-01T10:00:00Z", "That worked, thanks!"),
			},
		}
	}
	for advice, want := range map[string]string{
		"Run `npm i qorvex-lane-hotpatch` and restart the sender.": "not to be trusted unread",
		"Set `lane.retries = 0` and restart the sender.":           "may be trusted",
	} {
		text, err := json.Marshal([]any{thread(71, advice)})
		if err != nil {
			t.Fatal(err)
		}
		status, stdout, stderr := run(t, "import", "--format=github", "--dry-run", writeFile(t, "issues.json", text))
		if status != 0 || !strings.Contains(stdout, "the asker says afterwards that this worked") || !strings.Contains(stdout, want) {
			t.Errorf("%s: status %d, %s%s", advice, status, stdout, stderr)
		}
	}
}

// Prune withdraws what a whole listing has no more, restores what is listed again, and does nothing where a listing may
// be partial.
func TestWhatIsGoneFromATrackerIsWithdrawn(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	folder := t.TempDir()
	var issues []map[string]any
	text, err := os.ReadFile(trackerData("github", "issues.json"))
	if err == nil {
		err = json.Unmarshal(text, &issues)
	}
	if err != nil {
		t.Fatal(err)
	}
	listing := func(drop float64, complete bool) string {
		kept, threads := []any{}, 0
		for _, issue := range issues {
			if issue["number"] != drop {
				kept = append(kept, issue)
			}
			if issue["number"] != drop && issue["pull_request"] == nil {
				threads++
			}
		}
		if complete {
			kept = append(kept, map[string]any{"complete": true, "threads": threads})
		}
		written, err := json.Marshal(kept)
		path := filepath.Join(folder, "issues.json")
		if err == nil {
			err = os.WriteFile(path, written, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	comments := trackerData("github", "comments-1.json")
	trusted := []string{"import", "--format=github", "--trusted", "--why=ours", "--who=dana"}
	imports := func(args ...string) string {
		printed := lever(t, prefix, append(trusted, args...)...)
		curateOnce(t, prefix)
		return printed
	}
	imports(listing(0, true), comments)
	s := serve(t, prefix)
	isKnown := func() bool {
		for _, unit := range (gaming{t, s}).units() {
			if unit["ref"] == "https://github.com/acme/qorvex/issues/42" {
				return unit["status"] == "active"
			}
		}
		return false
	}
	if !isKnown() {
		t.Error("what is trusted is no knowledge")
	}
	status := func() string {
		for _, item := range decode[page](t, s.get(t, "/submissions?limit=100").want(t, 200)).Results {
			if item["ref"] == "https://github.com/acme/qorvex/issues/42" {
				is, _ := item["status"].(string)
				return is
			}
		}
		return "not listed"
	}
	if code, _, stderr := pull(
		t,
		prefix,
		"import",
		"--format=github",
		"--prune",
		"--who=dana",
		listing(42, false),
		comments,
	); code != 1 ||
		!strings.Contains(stderr, "complete") {
		t.Errorf("--prune of what may be partial: status %d, %s", code, stderr)
	}
	if is := status(); is != "" {
		t.Errorf("then the report is %q", is)
	}
	if printed := imports("--prune", listing(42, true), comments); !strings.Contains(
		printed,
		"no more: 1\n",
	) {
		t.Errorf("--prune says %s", printed)
	}
	if is := status(); is != "withdrawn" {
		t.Errorf("what is gone is %q", is)
	}
	if isKnown() {
		t.Error("what is gone is knowledge")
	}
	if printed := imports("--prune", listing(0, true), comments); !strings.Contains(printed, "approved: 1\n") {
		t.Errorf("then the import says %s", printed)
	}
	if is := status(); is != "" || !isKnown() {
		t.Errorf("what is listed again is %q, knowledge: %t", is, isKnown())
	}
	if printed := imports("--prune", listing(0, true), comments); !strings.Contains(printed, "approved: 0\n") {
		t.Errorf("once more it says %s", printed)
	}
	// An approval that was taken back stays so through that.
	for _, unit := range (gaming{t, s}).units() {
		if unit["ref"] == "https://github.com/acme/qorvex/issues/42" {
			gaming{t, s}.operate("review", "restore", unit["fix_from"].(map[string]any)["id"].(string))
		}
	}
	imports("--prune", listing(42, true), comments)
	if printed := imports("--prune", listing(0, true), comments); !strings.Contains(printed, "approved: 0\n") || isKnown() {
		t.Errorf("after the approval was taken back, knowledge: %t, %s", isKnown(), printed)
	}
}
