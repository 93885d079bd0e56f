package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

const (
	// submitsAtOnce is how many agents submit at the same moment, and how many documents the bare _bulk request holds.
	submitsAtOnce = 64
	// submitSlice is how many submits one side takes before it is the other's turn.
	submitSlice = 1024
	// aloneSlice is the same where one agent submits alone.
	aloneSlice = 50
	// submitWarmUp submits go first, unmeasured.
	submitWarmUp = 2048
)

// submitter submits lines of the corpus through the service, and stores what the service made of them by bare _bulk.
type submitter struct {
	bench   *bench
	service *service
	token   string
	client  *http.Client
	lines   *lineReader
	index   string // alias of what the service stores
	copied  string // index of what _bulk stores
}

// submitted is what both sides gave.
type submitted struct {
	docs           int
	took, bulkTook time.Duration
	each, bulkEach latencies
}

// measureSubmit submits with 64 agents at once and with one alone, against bare _bulk with the same documents.
func (b *bench) measureSubmit(ctx context.Context) (string, error) {
	path, err := b.corpus(ctx)
	if err != nil {
		return "", err
	}
	lines, err := openLines(path)
	if err != nil {
		return "", err
	}
	defer lines.Close()
	prefix := b.Prefix + "_submit"
	if err := b.engine.drop(ctx, prefix+"*"); err != nil {
		return "", err
	}
	defer b.engine.drop(context.WithoutCancel(ctx), prefix+"*")
	serving, err := b.serve(ctx, "serve-submit", prefix, b.ElasticsearchURL, "AGENTLORE_QUEUE_WAIT=30s") // nobody is refused: a slow machine shows in the times
	if err != nil {
		return "", err
	}
	defer serving.stop()
	s := &submitter{
		bench: b, service: serving, lines: lines, index: prefix + "-submissions", copied: prefix + "_bulk",
		client: &http.Client{Transport: newTransport(), Timeout: requestLimit},
	}
	if s.token, err = serving.register(ctx, "bench"); err != nil {
		return "", err
	}
	if err := b.engine.copyIndex(ctx, s.index, s.copied); err != nil {
		return "", err
	}
	warmedBy, err := s.warmUp(ctx)
	if err != nil {
		return "", err
	}
	watch := serving.watchMemory()
	defer watch()
	alone, err := s.alternate(ctx, aloneSlice, 1, b.Docs/5)
	if err != nil {
		return "", err
	}
	worked := -serving.processorTime()
	crowd, err := s.alternate(ctx, submitSlice, submitsAtOnce, b.Docs)
	if err != nil {
		return "", err
	}
	work := (worked + serving.processorTime()) / time.Duration(crowd.docs)
	return submitTables(crowd, alone, warmedBy, work, watch()), nil
}

// warmUp submits for a while, a third of the corpus at most: Elasticsearch compiles what it runs in its first minutes. It returns how
// many submits that were.
func (s *submitter) warmUp(ctx context.Context) (sent int, err error) {
	most := s.bench.Docs / 3
	slice := min(submitWarmUp, most)
	for end := time.Now().Add(s.bench.WarmUp); sent == 0 || sent < most && time.Now().Before(end); sent += slice {
		if _, _, _, err := s.submit(ctx, slice, submitsAtOnce); err != nil {
			return sent, err
		}
	}
	return sent, nil
}

// alternate lets both sides take turns, so many documents each and so many at once, for the run's duration or until most
// documents are used.
func (s *submitter) alternate(ctx context.Context, slice, atOnce, most int) (submitted, error) {
	say("   %d at once", atOnce)
	var all submitted
	for all.took < s.bench.Duration && all.docs < most {
		documents, took, each, err := s.submit(ctx, slice, atOnce)
		if err != nil {
			return all, err
		}
		if len(documents) == 0 {
			break // the corpus is at its end, and the same text again would not be stored
		}
		bodies := bulkBodies(documents, atOnce, bulkLoadBytes)
		bulkTook, bulkEach, err := s.bench.engine.bulk(ctx, s.copied, bodies, 1)
		if err != nil {
			return all, err
		}
		all.docs += len(documents)
		all.took += took
		all.bulkTook += bulkTook
		all.each.add(each)
		all.bulkEach.add(latencies{all: bulkEach})
	}
	if all.docs == 0 {
		return all, fmt.Errorf("the corpus is too short to submit %d at once from; --docs makes a longer one", atOnce)
	}
	return all, all.each.err(fmt.Sprintf("%d submits at once", atOnce))
}

// submit submits the next lines, so many at once, and returns what was stored, how long all took and how long each.
func (s *submitter) submit(ctx context.Context, count, atOnce int) (stored []document, took time.Duration, each latencies, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, each, context.Cause(ctx)
	}
	bodies, err := s.nextBodies(count)
	if err != nil || len(bodies) == 0 {
		return nil, 0, each, err
	}
	header := http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + s.token}}
	var next atomic.Int64
	targets := func(target *vegeta.Target) error {
		number := int(next.Add(1) - 1)
		if number >= len(bodies) {
			return vegeta.ErrNoTargets
		}
		*target = vegeta.Target{Method: http.MethodPost, URL: s.service.url + "/intake/submit", Header: header, Body: bodies[number]}
		return nil
	}
	attacker := vegeta.NewAttacker(vegeta.Client(s.client), vegeta.Timeout(requestLimit), vegeta.Workers(uint64(atOnce)), vegeta.MaxWorkers(uint64(atOnce)))
	began, ended := time.Now(), time.Time{}
	var ids []string
	for result := range attacker.Attack(targets, vegeta.Rate{}, 0, "") { // no rate: each agent goes on as soon as it is answered
		if result.Error == vegeta.ErrNoTargets.Error() || result.Code == http.StatusOK { // 200: equal to an earlier one once scrubbed
			continue
		}
		var answer struct {
			ID string `json:"id"`
		}
		if result.Code != http.StatusCreated || json.Unmarshal(result.Body, &answer) != nil {
			each.fail(fmt.Sprintf("%d %s: %.200s", result.Code, result.Error, result.Body))
			continue
		}
		each.all = append(each.all, result.Latency)
		ids = append(ids, answer.ID)
		if end := result.End(); end.After(ended) {
			ended = end
		}
	}
	if err := each.err("submits"); err != nil {
		return nil, 0, each, s.service.failure(err.Error())
	}
	stored, err = s.bench.engine.readByID(ctx, s.index, ids)
	return stored, ended.Sub(began), each, err
}

// nextBodies makes bodies of submits from the next lines of the corpus.
func (s *submitter) nextBodies(count int) ([][]byte, error) {
	lines, err := s.lines.next(count)
	if err != nil {
		return nil, err
	}
	bodies := make([][]byte, len(lines))
	for i, line := range lines {
		var one observation
		if err := json.Unmarshal(line, &one); err != nil {
			return nil, fmt.Errorf("the corpus is damaged: %w", err)
		}
		one.Source, one.CreatedAt, one.Ref = "", "", ""
		if one.Category == "" {
			one.Category = "general"
		}
		if bodies[i], err = json.Marshal(one); err != nil {
			return nil, err
		}
	}
	return bodies, nil
}

// submitTables shows what was measured, and what of it reaches the goals.
func submitTables(crowd, alone submitted, warmedBy int, work time.Duration, resident int64) string {
	report := newTable("at once", "submits", "service, docs/s", "bare _bulk, docs/s", "ratio", "service p50 / p90 / p99 / max, ms", "a _bulk request")
	share := crowd.bulkTook.Seconds() / crowd.took.Seconds()
	report.row(fmt.Sprint(submitsAtOnce), thousands(crowd.docs), thousands(rate(crowd.docs, crowd.took)), thousands(rate(crowd.docs, crowd.bulkTook)),
		fmt.Sprintf("%.0f %%", 100*share), crowd.each.String(), crowd.bulkEach.String())
	report.row("1", thousands(alone.docs), thousands(rate(alone.docs, alone.took)), thousands(rate(alone.docs, alone.bulkTook)),
		fmt.Sprintf("%.0f %%", 100*alone.bulkTook.Seconds()/alone.took.Seconds()), alone.each.String(), alone.bulkEach.String())
	verdicts := newTable("goal", "measured", "")
	verdicts.goal("64 at once: >= 60 % of the rate of bare _bulk", fmt.Sprintf("%.0f %%", 100*share), share >= 0.60)
	most, half := crowd.each.quantile(0.99), alone.each.quantile(0.5)
	verdicts.goal("64 at once: p99 <= 150 ms", milliseconds(most), most <= 150*time.Millisecond)
	verdicts.goal("one alone: p50 <= 8 ms", milliseconds(half), half <= 8*time.Millisecond)
	return fmt.Sprintf("Distinct texts of the corpus by POST /intake/submit, after %s of them, against one client that sends bare _bulk requests of as many documents as there are agents at once, with the documents that the submits stored. The service worked %s of CPU a submit; its resident memory reached %s.\n\n%s\n%s",
		thousands(warmedBy), milliseconds(work), megabytes(resident), report, verdicts)
}
