package main

import (
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
)

// A time in an address may be a day, which begins at midnight UTC; what is neither a day nor a time is refused, saying
// what would be one. Numbers come by month beside day.
func TestATimeMayBeADay(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t), "--no-curate")
	s.submit(t, s.register(t, "dated"), observation("Quokka relay stops on a day"))
	today := time.Now().UTC()
	day, next := today.Format(time.DateOnly), today.AddDate(0, 0, 1).Format(time.DateOnly)
	enginetest.Within(t, 10*time.Second, "a report of today is found from today on", func() bool {
		return decode[page](t, s.get(t, "/submissions?since="+day).want(t, 200)).Total == 1
	})
	if got := decode[page](t, s.get(t, "/submissions?since="+next).want(t, 200)).Total; got != 0 {
		t.Errorf("from tomorrow on there are %d", got)
	}
	for _, path := range []string{
		"/search/all?q=quokka&", "/knowledge?", "/patterns?", "/sources?", "/suggestions?", "/safety-flags?", "/analytics?until=" + next + "&", "/export?collection=patterns&",
	} {
		s.get(t, path+"since="+day).want(t, 200)
		for _, none := range []string{"", "2026-02-30", "yesterday", "2026-01", day + "T25:00:00Z"} {
			wantProblem(t, s.get(t, path+"since="+none), 422, "invalid_field", "since")
		}
	}
	counted := decode[lore.Analytics](t, s.get(t, "/analytics?since="+day).want(t, 200))
	if len(counted.ByMonth) != 1 || counted.ByMonth[0] != (lore.FacetCount{Value: today.Format("2006-01"), Count: 1}) || len(counted.ByDay) != 1 {
		t.Errorf("by month %v, by day %v", counted.ByMonth, counted.ByDay)
	}
}
