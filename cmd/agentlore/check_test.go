package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentlore/enginetest"
)

// check finds what is right, what is doubtful and every fault at once, and changes nothing.
func TestCheck(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	flags := append([]string{"check", "--listen=127.0.0.1:0", "--redis-url=" + enginetest.RedisURL(t)}, storeFlags(t, prefix)...)
	status, stdout, stderr := run(t, flags...)
	if status != 0 || !strings.Contains(stdout, "ok       Elasticsearch address 1: version 8.") || !strings.Contains(stdout, "no index is there yet") ||
		!strings.Contains(stdout, "ok       Redis: it answers and can be written") {
		t.Errorf("before the first start: status %d, %s%s", status, stdout, stderr)
	}
	if indices := enginetest.Indices(t, prefix); len(indices) > 0 {
		t.Errorf("check made %v", indices)
	}
	if status, _, stderr := run(t, append([]string{"migrate"}, storeFlags(t, prefix)...)...); status != 0 {
		t.Fatal(stderr)
	}
	if status, stdout, _ = run(t, flags...); status != 0 || !strings.Contains(stdout, "all 17 indices are there") {
		t.Errorf("with a store: status %d, %s", status, stdout)
	}
	index := "/" + prefix + "-submissions-000001/_settings"
	enginetest.Elasticsearch(t, "PUT", index, `{"index.blocks.read_only_allow_delete":true}`)
	status, stdout, stderr = run(t, flags...)
	if status != 1 || !strings.Contains(stdout, "fault    Elasticsearch address 1: "+prefix+"-submissions can't be written: index.blocks.read_only_allow_delete is set") ||
		!strings.Contains(stderr, "1 faults") {
		t.Errorf("with a read-only index: status %d, %s%s", status, stdout, stderr)
	}
	enginetest.Elasticsearch(t, "PUT", index, `{"index.blocks.read_only_allow_delete":null}`)

	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("hidden"+prefix), 0o600); err != nil {
		t.Fatal(err)
	}
	wrong := []string{
		"check", "--listen=127.0.0.1:0", "--elasticsearch-url=http://hidden" + prefix + "@127.0.0.1:1", "--redis-url=redis://:hidden" + prefix + "@127.0.0.1:1/0",
		"--index-prefix=" + prefix, "--elasticsearch-timeout=1s", "--rate-write=often", "--max-reads=0", "--trusted-proxies=everybody", "--elasticsearch-ca=/nowhere.pem",
		"--elasticsearch-api-key-file=" + secret, "--elasticsearch-username=also",
	}
	status, stdout, stderr = run(t, wrong...)
	if strings.Contains(stdout+stderr, "hidden"+prefix) {
		t.Errorf("check tells a secret: %s%s", stdout, stderr)
	}
	faults := strings.Count(stdout, "fault ")
	for _, part := range []string{"rate limit of class write", "AGENTLORE_MAX_READS", "trusted proxies", "ELASTICSEARCH_CA", "ELASTICSEARCH_API_KEY", "Redis: it can't be reached"} {
		if !strings.Contains(stdout, part) {
			t.Errorf("check doesn't name %q", part)
		}
	}
	if status != 1 || !strings.Contains(stderr, fmt.Sprint(faults, " faults")) {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
}

func TestAnAddressIsNeverQuoted(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "collector:4318", "ftp://user:word@host", "http://"} {
		if err := checkURL("X", bad, "http://127.0.0.1:4318"); err == nil || strings.Contains(err.Error(), "word") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
