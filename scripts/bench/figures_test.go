package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFiguresKeepWhatOthersWrote(t *testing.T) {
	page := placeFigures("# Ours\n\nwords\n", "search", "old figures\n")
	page = placeFigures(page, "submit", "submits\n")
	page = placeFigures(page+"\nmore words\n", "search", "new figures\n")
	want := "# Ours\n\nwords\n\n## Search\n\n<!-- bench search -->\nnew figures\n<!-- /bench search -->\n\n" +
		"## Submits\n\n<!-- bench submit -->\nsubmits\n<!-- /bench submit -->\n\nmore words\n"
	if diff := cmp.Diff(want, page); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
}

func TestLoadStaysOnThisMachine(t *testing.T) {
	for address, allowed := range map[string]bool{
		"http://127.0.0.1:9200": true, "http://localhost:9200": true, "http://[::1]:9200": true, "redis://127.0.0.1:6379/0": true,
		"http://10.0.0.1:9200": false, "https://search.example.org": false, "": false, "http://127.0.0.1.example.org": false,
	} {
		if err := local(address); (err == nil) != allowed {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestWhatTheSystemSaysOfAProcess(t *testing.T) {
	if got := statusBytes("Name:\tagentlore\nVmHWM:\t  99 kB\nVmRSS:\t    2048 kB\n", "VmRSS"); got != 2<<20 {
		t.Errorf("resident memory is %d", got)
	}
	if got := statTime("7 (a ) b) S 1 1 1 0 -1 0 0 0 0 0 150 50 0 0 20 0"); got != 2*time.Second {
		t.Errorf("processor time is %s", got)
	}
}

func TestThousands(t *testing.T) {
	for number, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000"} {
		if got := thousands(number); got != want {
			t.Errorf("%d is written %s", number, got)
		}
	}
}

func TestOptionsNameEveryFault(t *testing.T) {
	err := (&options{Prefix: "agentlore", Docs: 1, Duration: 1, ElasticsearchURL: "http://10.0.0.1:9200"}).check()
	for _, want := range []string{"--docs", "--duration", "--rate", "--prefix", "ELASTICSEARCH_URL"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is not named in: %v", want, err)
		}
	}
}
