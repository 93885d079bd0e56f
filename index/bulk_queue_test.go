package index

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
)

// While all bulk requests are held up, a caller who gives up takes its document back, and one who waits gets its answer when they go on.
func TestWhoGivesUpInTheQueueIsNotWritten(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	target, err := url.Parse(enginetest.ElasticsearchURL(t))
	if err != nil {
		t.Fatal(err)
	}
	through := httputil.NewSingleHostReverseProxy(target)
	alias := client.AliasOf(lore.Assets)
	var held atomic.Int64
	release := make(chan struct{})
	holding := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/_bulk") {
			held.Add(1)
			<-release
		}
		through.ServeHTTP(w, r)
	}))
	t.Cleanup(holding.Close)
	writer := newWriter(t, openClient(t, client.Prefix, holding.URL))
	var group sync.WaitGroup
	write := func(ctx context.Context) (id string, err chan error) {
		id, err = lore.NewID(), make(chan error, 1)
		group.Go(func() { err <- writer.Create(ctx, alias, id, document(id)) })
		return id, err
	}
	first := make([]string, lanes)
	for i := range first {
		first[i], _ = write(t.Context())
		enginetest.Within(t, time.Minute, "a request is held up", func() bool { return held.Load() == int64(i+1) })
	}
	ctx, giveUp := context.WithCancel(t.Context())
	gone, goneErr := write(ctx)
	stays, staysErr := write(t.Context())
	enginetest.Within(t, time.Minute, "both wait", func() bool { return len(writer.queue) == 2 })
	giveUp()
	if err := <-goneErr; !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up: %v", err)
	}
	close(release)
	if err := <-staysErr; err != nil {
		t.Errorf("who stayed: %v", err)
	}
	group.Wait()
	for _, id := range append(first, stays) {
		enginetest.Source(t, alias, id)
	}
	if status, _ := enginetest.Elasticsearch(t, "GET", "/"+alias+"/_doc/"+gone, ""); status != http.StatusNotFound {
		t.Errorf("the document of who gave up: %d, want 404", status)
	}
}
