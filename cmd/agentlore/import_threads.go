package main

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"agentlore/curator"
	"agentlore/importer"
	"agentlore/index/curation"
	"agentlore/knowledge"
	"agentlore/lore"
	"agentlore/scrubber"
	"agentlore/tracker"
)

// threadFlags are those of an import of issues, questions, topics and runbooks.
type threadFlags struct {
	Project   string `help:"What the threads are about where the files don't say it: acme/qorvex, or the site of a dump or forum." placeholder:"NAME"`
	Ecosystem string `help:"The chain or network that the threads are about."`
	Source    string `help:"Name of the source of the reports; by default made of format and project."                             placeholder:"NAME"`
	Solved    bool   `help:"Leave out threads of which nothing says what solved them."`
	Trusted   bool   `help:"Make knowledge of what a maintainer said or an asker accepted; needs --why."`
	Why       string `help:"Why it is trusted; kept for ever with each decision."`
	Who       string `help:"Who trusts it; by default the user of this machine."                                                                      env:"AGENTLORE_OPERATOR"`
	Prune     bool   `help:"Withdraw reports of what the listing has no more; the listing must say that it is complete."`
	Yes       bool   `help:"Let --prune withdraw more than half of a source's reports."`
	Report    string `help:"Write what was chosen of each thread, how it begins, and why, to this file, one JSON object a line."                  placeholder:"FILE"`
	DryRun    bool   `help:"Only show what would be taken as the resolution of the first threads; needs no store."`
	Show      int    `help:"How many threads a dry run shows."                                                                                                                 default:"10"`
}

// isThreads reports whether a format is of threads.
func isThreads(format string) bool { return slices.Contains(tracker.Formats(), tracker.Format(format)) }

// validateThreads refuses what makes no sense, before anything runs.
func (c *importCommand) validateThreads() error {
	format := tracker.Format(c.Format)
	switch {
	case c.Collection != "":
		return fmt.Errorf("--format %s takes no --collection: its threads become submissions", c.Format)
	case c.Vouch:
		return fmt.Errorf("--vouch is for lines: of --format %s, --trusted takes a maintainer's word", c.Format)
	case len(c.Files) == 0:
		return fmt.Errorf("which files? give --format %s and files or folders", c.Format)
	case slices.Contains(c.Files, "-"):
		return fmt.Errorf("--format %s reads its files twice: give files in place of -", c.Format)
	case c.Trusted && strings.TrimSpace(c.Why) == "":
		return errors.New("--trusted needs --why: it makes knowledge in your name")
	case c.Project == "" && (format == tracker.StackExchange || format == tracker.Discourse):
		return fmt.Errorf("--format %s needs --project, the site's name: its files don't have it", c.Format)
	}
	return nil
}

// threadImport is an import of threads under way.
type threadImport struct {
	*importCommand
	out     output
	clean   *scrubber.Scrubber
	mask    tracker.Mask
	known   func(name string) bool // what the library names
	desk    *desk
	tally   *threadTally
	decided decided
	seen    map[string]bool // ids of the reports that the listing has; only for --prune
	unseen  map[string]int  // how many threads of an address the listing has that became no report, or not yet
	folders map[string]bool // where these addresses are
	seeing  sync.Mutex
}

// runThreads imports threads, or shows what would be taken of them.
func (c *importCommand) runThreads(ctx context.Context, out output) (err error) {
	run := &threadImport{
		importCommand: c,
		out:           out,
		clean:         c.scrubber(),
		tally:         newThreadTally(),
		known:         func(string) bool { return false },
		seen:          map[string]bool{},
		unseen:        map[string]int{},
		folders:       map[string]bool{},
	}
	if c.Report != "" {
		file, err := os.Create(c.Report)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		run.tally.file = file
	}
	if c.DryRun {
		return run.dryRun(ctx)
	}
	store, err := c.open(ctx, out, importTimeout)
	if err != nil {
		return err
	}
	if run.mask, err = store.accounts.Masker(ctx); err != nil {
		return err
	}
	current, err := knowledge.New(store.client, out.log).Current(ctx)
	if err != nil {
		return err
	}
	run.known = current.Vouched.Has
	run.desk = &desk{out: out, store: store, clean: run.clean, review: curation.NewReview(store.client)}
	if run.desk.who, run.desk.why, err = (reasonFlags{Who: c.Who, Why: cmp.Or(c.Why, "import")}).reason(); err != nil {
		return err
	}
	return run.store(ctx, store)
}

// listing is what the command line says is to be read.
func (c *importCommand) listing() tracker.Listing {
	return tracker.Listing{Format: tracker.Format(c.Format), Files: c.Files, Project: c.Project}
}

// store imports the threads and says what became of them.
func (r *threadImport) store(ctx context.Context, store *store) error {
	gone, err := erasedIDs(ctx, store)
	if err != nil {
		return err
	}
	if r.Trusted {
		if r.decided, err = decidedBefore(ctx, store); err != nil {
			return err
		}
	}
	work := newImporter(store, r.clean)
	work.AsAgent = r.AsAgent
	sources := map[string]bool{}
	work.Named = func(identity lore.Identity) { sources[identity.SourceID] = true }
	work.Progress = func(s importer.Summary) {
		fmt.Fprintf(r.out.stderr, "%d threads, %.0f a second\n", s.Lines(), s.Rate())
	}
	var extent tracker.Extent
	summary, err := importer.ImportReports(ctx, work, importer.Reports[tracker.Thread]{
		Each: func(visit func(tracker.Thread) error) (err error) {
			extent, err = r.listing().Each(visit)
			return err
		},
		Size: sizeOf, Make: r.report, Store: store.submissions, Gone: func(id string) bool { return gone[id] },
		Restore: r.restore, Stored: r.stored,
	})
	r.print(summary, extent)
	if err != nil {
		return fmt.Errorf("the import stopped: %w (run it again to go on: what is stored is not stored twice)", err)
	}
	if !r.Prune {
		return nil
	}
	return r.prune(ctx, store, extent, sources)
}

// sizeOf returns how many bytes the texts of a thread have.
func sizeOf(thread tracker.Thread) int {
	size := len(thread.Body) + len(thread.Page)
	for _, comment := range thread.Comments {
		size += len(comment.Body)
	}
	for _, change := range thread.Changes {
		size += len(change.Body)
	}
	return size
}

// report makes a report of a thread, whose texts it scrubs first.
func (r *threadImport) report(ctx context.Context, thread tracker.Thread) (*importer.Report, error) {
	removed, err := r.address(ctx, &thread)
	if err != nil {
		return nil, err
	}
	r.note(thread.Ref())
	if thread.Partial {
		r.tally.addPartial()
		return nil, nil
	}
	if err := scrubThread(ctx, r.clean, &thread, removed); err != nil {
		return nil, err
	}
	choice := tracker.Choose(thread)
	report := &importer.Report{
		Line: thread.Report(
			choice,
			tracker.Options{Source: r.sourceOf(thread.Project), Ecosystem: r.Ecosystem, Mask: r.mask},
		),
		Vouched:   choice.Vouched(),
		Removed:   removed,
		OnlyAmend: r.Solved && choice.Kind == tracker.None,
	}
	doubt := ""
	if choice.Doubt != "" {
		doubt = "not to be trusted unread: " + choice.Doubt
	}
	if report.Vouched && choice.By.Role != tracker.Maintainer {
		asked := curator.AsksFor(report.Line.Resolution)
		if report.Vouched = !curator.Withholds(asked, r.known); !report.Vouched {
			doubt = "not to be trusted unread: it names what nobody vouches for"
		}
	}
	return report, r.tally.add(chosen{
		Address: report.Line.Ref,
		Kind:    choice.Kind,
		Why:     choice.Why,
		Vouched: report.Vouched,
		Doubt:   doubt,
		Text:    thread.Excerpt(choice.Text, r.mask),
		Nearest: thread.Excerpt(choice.Nearest, r.mask),
		By:      r.masked(choice.By),
		Refused: choice.Refused,
	})
}

// masked returns the keyed hash of a person's handle; "" where the tracker names nobody.
func (r *threadImport) masked(person tracker.Person) string {
	if person.Handle == "" {
		return ""
	}
	return r.mask(person.Handle)
}

// address completes the address of a thread and removes secrets from it, counted by kind: a name of a file or a heading
// may hold some.
func (r *threadImport) address(ctx context.Context, thread *tracker.Thread) (removed map[string]int, err error) {
	removed = map[string]int{}
	if thread.Entry > 0 {
		heading := tracker.Post{Title: thread.Heading}
		if err := scrubPost(ctx, r.clean, &heading, map[string]int{}); err != nil { // counted as a part of the title
			return nil, err
		}
		thread.Anchor(heading.Title)
	}
	whole := tracker.Post{Title: thread.Address}
	err = scrubPost(ctx, r.clean, &whole, removed)
	thread.Address = whole.Title
	return removed, err
}

// scrubPost removes secrets from a post, and counts them by kind.
func scrubPost(ctx context.Context, clean *scrubber.Scrubber, post *tracker.Post, removed map[string]int) error {
	scrubbed, err := scrubber.Scrub(ctx, clean, *post)
	*post = scrubbed.Value()
	for kind, count := range scrubbed.Report().Counts() {
		removed[kind] += count
	}
	return err
}

// scrubThread removes secrets from all that is said in a thread, post by post, and counts them by kind.
func scrubThread(
	ctx context.Context, clean *scrubber.Scrubber, thread *tracker.Thread, removed map[string]int,
) error {
	posts := []*tracker.Post{&thread.Post}
	thread.Comments, thread.Changes = slices.Clone(thread.Comments), slices.Clone(thread.Changes)
	for i := range thread.Comments {
		posts = append(posts, &thread.Comments[i].Post)
	}
	for i := range thread.Changes {
		posts = append(posts, &thread.Changes[i].Post)
	}
	page := tracker.Post{Body: thread.Page}
	for _, post := range append(posts, &page) {
		if err := scrubPost(ctx, clean, post, removed); err != nil {
			return err
		}
	}
	thread.Page = page.Body
	return nil
}

// maxSourceName is the most characters that a source's name may have.
const maxSourceName = 64

// sourceOf returns whose reports the threads of a project become.
func (r *threadImport) sourceOf(project string) string {
	if r.Source != "" {
		return r.Source
	}
	name := r.Format + ":" + project
	if len(name) > maxSourceName { // the names of two long ones must stay two
		name = strings.ToValidUTF8(name[:maxSourceName-9], "") + "-" + lore.DerivedID(name)[:8]
	}
	return name
}

// note keeps that the listing has a thread of a scrubbed address, whatever becomes of it.
func (r *threadImport) note(address string) {
	if !r.Prune {
		return
	}
	r.seeing.Lock()
	defer r.seeing.Unlock()
	r.unseen[address]++
	r.folders[folderOf(address)] = true
}

// noteStored keeps which report a thread of an address became.
func (r *threadImport) noteStored(submission lore.Submission, address string) {
	if !r.Prune {
		return
	}
	r.seeing.Lock()
	defer r.seeing.Unlock()
	if !r.seen[submission.ID] {
		r.unseen[address]--
	}
	r.seen[submission.ID] = true
	r.folders[folderOf(submission.Ref)] = true
}

// isListed reports whether the listing has what a report was made of.
func (r *threadImport) isListed(submission lore.Submission) bool {
	return r.seen[submission.ID] || r.unseen[submission.Ref] > 0
}

// folderOf returns where an address is: a repository's issues, a site's questions, a folder of runbooks.
func folderOf(address string) string {
	if rest, isPage := strings.CutPrefix(address, "runbooks/"); isPage {
		project, _, _ := strings.Cut(rest, "/")
		return "runbooks/" + project
	}
	return path.Dir(address)
}

// stored records an operator's approval of what is trusted, of the words that the report has now. Its id follows from
// them: an approval that was taken back since isn't given again by the next import.
func (r *threadImport) stored(
	ctx context.Context,
	submission lore.Submission,
	report importer.Report,
) (approved bool, err error) {
	r.noteStored(submission, report.Line.Ref)
	if !r.Trusted || !report.Vouched || submission.Resolution == "" || submission.Tier >= lore.TierValidated {
		return false, nil
	}
	words, changed := submission.Words(), ""
	if submission.RevisedAt != nil {
		changed = submission.RevisedAt.UTC().Format(time.RFC3339Nano)
	}
	parts := []string{"trusted import", submission.ID, words.Revision, changed}
	if pruned := r.decided.pruned[submission.ID]; pruned != "" { // an approval of before holds no more
		parts = append(parts, pruned)
	}
	id := lore.DerivedID(parts...)
	if r.decided.approvals[id] {
		return false, nil
	}
	decision := lore.Decision{
		ID:      id,
		Words:   words,
		Verdict: lore.VerdictApprove,
		Subject: lore.Target{Collection: lore.Submissions, ID: submission.ID},
		Who:     r.desk.who,
		Why: "from " + lore.OriginOf(
			submission.Ref,
		) + ": " + r.desk.why,
		At: time.Now().UTC().Truncate(time.Millisecond),
	}
	clean, err := scrubber.Scrub(ctx, r.clean, decision)
	if err != nil {
		return false, err
	}
	return true, r.desk.review.Decide(ctx, clean)
}

// erasedIDs returns the ids of the submissions that were erased: an import brings none of them back.
func erasedIDs(ctx context.Context, store *store) (map[string]bool, error) {
	gone := map[string]bool{}
	filter := lore.DecisionFilter{Verdicts: []lore.Verdict{lore.VerdictErase}}
	err := store.client.EachDecision(ctx, filter, func(decision lore.Decision) error {
		if decision.Subject.Collection == lore.Submissions {
			gone[decision.Subject.ID] = true
		}
		return nil
	})
	return gone, err
}

// dryRun reads and judges the threads, shows the first and stores nothing. People get hashes under a key of this run.
func (r *threadImport) dryRun(ctx context.Context) error {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails: it ends the process instead
	r.mask = func(name string) string {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(strings.ToLower(name)))
		return "person-" + hex.EncodeToString(mac.Sum(nil)[:6])
	}
	shown, refused := 0, 0
	started := time.Now()
	extent, err := r.listing().Each(func(thread tracker.Thread) error {
		report, err := r.report(ctx, thread)
		if errors.Is(err, scrubber.ErrTooLarge) {
			refused++
			return nil
		}
		if err != nil || report == nil || shown >= r.Show || report.OnlyAmend {
			return cmp.Or(err, ctx.Err())
		}
		shown++
		return showThread(r.out.stdout, *report, r.tally.last)
	})
	r.print(importer.Summary{Refused: refused, Elapsed: time.Since(started)}, extent)
	if err != nil {
		return fmt.Errorf("the dry run stopped: %w", err)
	}
	return nil
}
