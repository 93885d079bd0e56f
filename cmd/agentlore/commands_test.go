package main

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"agentlore/enginetest"
)

// Whoever starts the service with several mistakes learns of all of them at once, and without waiting for a store.
func TestBadConfigurationIsNamedWhole(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	notPEM := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(notPEM, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := run(t, "serve",
		"--elasticsearch-url=ftp://"+canary+"@host", "--elasticsearch-password="+canary, "--elasticsearch-password-file=/nowhere",
		"--elasticsearch-username=u", "--elasticsearch-api-key=k", "--elasticsearch-ca="+notPEM, "--elasticsearch-timeout=1ms",
		"--index-prefix=No-Good", "--shards=0", "--replicas=some", "--listen="+taken.Addr().String(), "--redis-url=http://"+canary,
		"--trusted-proxies="+canary, "--rate-register=often", "--rate-write=0-M", "--rate-read=",
	)
	if status != 1 || stdout != "" {
		t.Errorf("status %d, output %q; want 1 and nothing", status, stdout)
	}
	for _, fault := range []string{
		"ELASTICSEARCH_URL", "ELASTICSEARCH_PASSWORD", "ELASTICSEARCH_API_KEY", "CA certificate", "AGENTLORE_ELASTICSEARCH_TIMEOUT",
		"index prefix", "AGENTLORE_SHARDS", "AGENTLORE_REPLICAS", "AGENTLORE_LISTEN", "REDIS_URL", "trusted proxies",
		"class register", "class write", "class read",
	} {
		if !strings.Contains(stderr, fault) {
			t.Errorf("%s isn't named in:\n%s", fault, stderr)
		}
	}
	if strings.Contains(stderr, canary) {
		t.Errorf("a password or an address that may hold one is repeated:\n%s", stderr)
	}
}

func TestCommandLineThatMakesNoSense(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"dance"}, {"serve", "--no-such-flag"}, {"import", "file"}, {"import", "--collection=patterns", "file"}, {"serve", "--embeddings-dimensions=many"}} {
		if status, _, stderr := run(t, args...); status != 2 || stderr == "" {
			t.Errorf("agentlore %s: status %d and %q, want 2 and a reason", strings.Join(args, " "), status, stderr)
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	status, stdout, _ := run(t, "version")
	if status != 0 || !regexp.MustCompile(`^agentlore \S+, interface 2\.0, \S.*\n$`).MatchString(stdout) {
		t.Errorf("status %d, %q", status, stdout)
	}
}

func TestHealthCommand(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	status, stdout, stderr := run(t, "health", "--url="+s.base)
	var health struct{ Status, Version string }
	if status != 0 || json.Unmarshal([]byte(stdout), &health) != nil || health.Status != "ok" || health.Version != "2.0" {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}

	prefix := enginetest.Prefix(t)
	way := newLink(t, enginetest.ElasticsearchURL(t))
	outage := serve(t, prefix, "--elasticsearch-url="+way.url)
	way.cut()
	if status, stdout, _ = run(t, "health", "--url="+outage.base); status != 1 || !strings.Contains(stdout, "unavailable") {
		t.Errorf("without Elasticsearch: status %d and %q, want 1 and the answer", status, stdout)
	}
	if status, _, stderr = run(t, "health", "--url=http://127.0.0.1:1"); status != 1 || stderr == "" {
		t.Errorf("without a service: status %d and %q, want 1 and a reason", status, stderr)
	}
	way.mend()
}

// migrate creates what serve would, is safe to run again, and says so when an index is another version's.
func TestMigrateCommand(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	for range 2 {
		if status, _, stderr := run(t, append([]string{"migrate"}, storeFlags(t, prefix)...)...); status != 0 {
			t.Fatalf("migrate: status %d, %s", status, stderr)
		}
	}
	if got := len(enginetest.Indices(t, prefix)); got != 17 {
		t.Errorf("%d indices, want 10 that analysts read and 7 internal", got)
	}
	enginetest.Elasticsearch(t, "PUT", "/"+prefix+"-state-000001/_mapping", `{"_meta":{"version":0,"hash":"another"}}`)
	status, _, stderr := run(t, append([]string{"migrate"}, storeFlags(t, prefix)...)...)
	if status != 0 || !strings.Contains(stderr, prefix+"-state") || !strings.Contains(stderr, "another version") {
		t.Errorf("an index of another version: status %d, %q; want a warning that names it", status, stderr)
	}
}
