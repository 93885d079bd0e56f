package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
)

// fill stores documents of every collection, with values of every kind, up to now.
func fill(t *testing.T, prefix string) {
	t.Helper()
	now := time.Now().UTC()
	categories := lore.Categories()
	pick := func(i int, of ...string) string { return of[i%len(of)] }
	bulk := func(collection string, n int, make func(i int) map[string]any) {
		var body bytes.Buffer
		for i := range n {
			d := make(i)
			d["created_at"] = now.Add(-time.Duration(i*i) * time.Hour).Format(time.RFC3339Nano)
			if collection != "searchlog" {
				d["id"] = lore.NewID()
			}
			text, err := json.Marshal(d)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&body, "{\"create\":{}}\n%s\n", text)
		}
		status, answer := enginetest.Elasticsearch(t, "POST", "/"+prefix+"-"+collection+"/_bulk?refresh=true&filter_path=errors,items.*.error", body.String())
		if status != http.StatusOK || !bytes.Contains(answer, []byte(`"errors":false`)) {
			t.Fatalf("fill %s: %d %.600s", collection, status, answer)
		}
	}
	bulk("submissions", 180, func(i int) map[string]any {
		d := map[string]any{
			"summary": "Bridge relayer stalls", "content": "eth_call reverts", "source_id": fmt.Sprint("source-", i%9), "category": string(categories[i%len(categories)].Value),
			"ecosystem": pick(i/3, "ethereum", "base", "solana", "xrpl"), "tags": []string{pick(i, "bridge", "oracle"), "t" + fmt.Sprint(i%5)},
			"entities": []string{pick(i, "ERC-20", "eip155:1", "CVE-2023-34459")}, "tier": 1 + i%4, "score": 1 + float64(i%10),
		}
		if i%6 == 0 {
			d["scrubbed_total"], d["scrubbed_kinds"] = 1+i%3, []string{pick(i/6, "email", "eth_key"), "jwt"}
		}
		if i%4 == 0 {
			d["outcomes"] = map[string]any{"worked": i % 7, "failed": i % 3, "unsafe": i % 2 * 2}
			d["pattern_id"] = lore.NewID()
		}
		if i%10 == 5 {
			d["outcomes"] = map[string]any{"worked": 0, "failed": 1, "unsafe": 2}
		}
		return d
	})
	bulk("patterns", 30, func(i int) map[string]any {
		return map[string]any{
			"summary": "Relayers stall", "category": string(categories[i%4].Value), "ecosystem": []string{"ethereum", pick(i, "base", "xrpl")}, "status": pick(i, "emerging", "established"),
			"report_count": 2 + i, "owner_count": 2 + i%5, "source_count": 3, "tier": 2, "over_correlating": i%10 == 3,
		}
	})
	bulk("knowledge-units", 24, func(i int) map[string]any {
		d := map[string]any{
			"summary": "Retry after the challenge period", "category": string(categories[i%4].Value), "ecosystem": []string{"ethereum"}, "status": pick(i, "active", "active", "withdrawn"),
			"tier": 3 + i%2, "confidence": 0.5 + float64(i)/50, "evidence": map[string]any{"owners": 3 + i%3},
		}
		if i%2 == 0 {
			d["pattern_id"] = lore.NewID()
		}
		return d
	})
	bulk("sources", 20, func(i int) map[string]any {
		d := map[string]any{"name": fmt.Sprint("source ", i), "type": pick(i, "agent", "bot", "tool"), "reputation": float64(i) / 20}
		if i%7 == 0 {
			d["revoked_at"] = now.Format(time.RFC3339Nano)
		}
		return d
	})
	bulk("assets", 40, func(i int) map[string]any {
		d := map[string]any{"name": fmt.Sprint("asset ", i), "type": pick(i, "chain", "token", "bridge"), "ecosystem": []string{pick(i, "ethereum", "cosmos")}, "origin": pick(i, "one", "two")}
		if i%3 == 0 {
			d["addresses"], d["url"] = []string{"0xabc", "0xdef"}, "https://example.org"
		}
		return d
	})
	bulk("suggestions", 8, func(i int) map[string]any {
		return map[string]any{"kind": pick(i, "asset", "merge"), "status": pick(i, "open", "accepted", "rejected"), "summary": "merge"}
	})
	bulk("safety-flags", 12, func(i int) map[string]any {
		return map[string]any{"reason": pick(i, "injection", "spam", "stale"), "status": pick(i, "open", "confirmed"), "severity": "high", "note": "x"}
	})
	bulk("searchlog", 26, func(i int) map[string]any {
		return map[string]any{
			"q": pick(i, "usdt approve", "stale oracle", "zzqq"), "found": i%3 != 2, "layers": []string{pick(i, "keyword", "fuzzy"), "exact"}, "took_ms": 1 + i, "total": i * 3, "words": 2,
		}
	})
}
