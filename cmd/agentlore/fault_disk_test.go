package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
)

// clusterSettings sets what holds for the engine's whole cluster until the test ends.
func clusterSettings(t *testing.T, settings string) {
	t.Helper()
	status, answer := enginetest.Elasticsearch(t, "PUT", "/_cluster/settings", `{"persistent":`+settings+`}`)
	if status != 200 {
		t.Fatalf("cluster settings: %d %.300s", status, answer)
	}
}

// A full disk: Elasticsearch makes its indices read-only by itself, here because its watermark is set to what the disk holds
// already. Writes get a 503, reads go on, health and log say why, and when there is room again it works without a restart.
func TestFullDisk(t *testing.T) {
	enginetest.Faults(t)
	const watermarks = `"cluster.routing.allocation.disk.watermark.%s":%s`
	set := func(low, high, flood, enabled string) {
		var each []string
		for name, value := range map[string]string{"low": low, "high": high, "flood_stage": flood} {
			each = append(each, fmt.Sprintf(watermarks, name, value))
		}
		clusterSettings(t, `{"cluster.info.update.interval":"10s","cluster.routing.allocation.disk.threshold_enabled":`+enabled+`,`+strings.Join(each, ",")+`}`)
	}
	t.Cleanup(func() {
		clusterSettings(t, `{"cluster.info.update.interval":null,"cluster.routing.allocation.disk.*":null}`)
	})
	both := serveTwo(t)
	x := startTraffic(t, both)
	x.during(t, "there is room", time.Second)
	set(`"1b"`, `"1b"`, `"1b"`, "true") // watermarks in bytes are what must stay free
	x.during(t, "watermarks are watched, and there is room", time.Second)
	set(`"100000tb"`, `"100000tb"`, `"100000tb"`, "true")
	for _, s := range both {
		enginetest.Within(t, 3*time.Minute, "health says read_only", func() bool {
			got := s.get(t, "/health")
			return got.status == 200 && strings.Contains(string(got.body), `"degraded"`) && strings.Contains(string(got.body), `"elasticsearch":"read_only"`)
		})
		enginetest.Within(t, 3*time.Minute, "the log says why", func() bool { return strings.Contains(s.log.String(), "a full disk makes them") })
		enginetest.Within(t, time.Minute, "the gauge shows it", func() bool { return metric(t, s, "agentlore_elasticsearch_read_only") == "1" })
	}
	full := x.during(t, "the disk is full", 2*time.Second)
	if full[503] == 0 || full[201] > 0 || full[500] > 0 || full[200] == 0 {
		t.Errorf("with a full disk: %v, want 503 for writes and 200 for reads", full)
	}
	both[0].get(t, "/search/all?q=traffic").want(t, 200)
	wantProblem(t, both[0].send(t, "POST", "/intake/register", map[string]any{"name": "no room", "type": "bot", "owner": "x"}), 503, "store_unavailable")
	set(`"1b"`, `"1b"`, `"1b"`, "true")
	for _, s := range both {
		enginetest.Within(t, 3*time.Minute, "it has recovered", func() bool {
			got, err := s.try(t.Context(), "POST", "/intake/submit", observation("room again"), x.agent.bearer()...)
			return err == nil && got.status < 300 && strings.Contains(string(s.get(t, "/health").body), `"ok"`)
		})
	}
	x.end()
	wantUnavailable(t, x)
	wantAllStored(t, both, x)
	both[0].register(t, "no room") // what failed has taken no name
}
