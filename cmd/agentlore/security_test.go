package main

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
)

// asUser asks Elasticsearch as somebody.
func asUser(t *testing.T, name, password, method, path, body string) (status int, answer string) {
	t.Helper()
	s := &service{base: enginetest.ElasticsearchURL(t)}
	request, err := http.NewRequest(method, s.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth(name, password)
	request.Header.Set("Content-Type", "application/json")
	response, err := httpClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var read text
	if _, err := io.Copy(&read, response.Body); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, read.String()
}

// Security on, with the users and roles that the compose file sets up: the service works as its own user, that user opens
// nobody else's indices, an analyst neither writes nor sees who owns a token, and a wrong password is a clear word at start.
func TestSecurity(t *testing.T) {
	enginetest.Faults(t)
	super, root := os.Getenv("ELASTICSEARCH_USERNAME"), os.Getenv("ELASTICSEARCH_PASSWORD")
	if super == "" {
		enginetest.Missing(t, "needs Elasticsearch with security: scripts/engine with --name secure --security --wipe -- ...; make test-faults does it")
	}
	prefix := enginetest.Prefix(t)
	secrets := t.TempDir()
	password := func(name, value string) string {
		file := filepath.Join(secrets, name+"_password")
		if err := os.WriteFile(file, []byte(value), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	own, people := "service "+prefix, "people "+prefix
	password("elastic", root)
	password("kibana", "kibana "+prefix)
	password("analyst", people)
	file := password("service", own)
	setup := exec.Command("bash", filepath.Join(enginetest.Root(), "scripts", "compose", "setup.sh"))
	setup.Env = append(os.Environ(), "SECRETS="+secrets, "AGENTLORE_INDEX_PREFIX="+prefix)
	if out, err := setup.CombinedOutput(); err != nil {
		t.Fatalf("setup.sh: %v\n%s", err, out)
	}
	folder := snapshotFolder(t, enginetest.ElasticsearchURL(t), prefix)
	t.Setenv("ELASTICSEARCH_USERNAME", "")
	t.Setenv("ELASTICSEARCH_PASSWORD", "")
	login := []string{"--elasticsearch-username=agentlore", "--elasticsearch-password-file=" + file}

	flags := append([]string{"check", "--listen=127.0.0.1:0", "--redis-url="}, storeFlags(t, prefix)...)
	if status, stdout, stderr := run(t, append(flags, login...)...); status != 0 || !strings.Contains(stdout, "may do what the service does") {
		t.Errorf("check as the service's user: status %d, %s%s", status, stdout, stderr)
	}
	s := serve(t, prefix, append(login, "--redis-url=", "--curate=true")...)
	me := s.register(t, "secured")
	stored := s.submit(t, me, observation("written by a user of few rights"))
	s.get(t, "/submissions/"+stored.ID).want(t, 200)
	enginetest.Eventually(t, "it is found", func() bool { return len(decode[page](t, s.get(t, "/search/all?q=few+rights")).Results) == 1 })
	enginetest.Eventually(t, "health is ok: it may be asked for by this user", func() bool {
		return strings.Contains(string(s.get(t, "/health").body), `"elasticsearch":"ok"`)
	})
	move := append(append([]string{"scale", "--shards=2"}, storeFlags(t, prefix)...), login...)
	if status, _, stderr := run(t, move...); status != 0 {
		t.Errorf("scale as the service's user: status %d, %s", status, stderr)
	}
	s.get(t, "/submissions/"+stored.ID).want(t, 200)

	for _, args := range [][]string{{"backup", "--to=file://" + folder}, {"restore", "--from=file://" + folder}, {"verify", "--against=file://" + folder}} {
		if status, stdout, stderr := run(t, append(append(args, storeFlags(t, prefix)...), login...)...); status != 0 && args[0] != "verify" {
			t.Errorf("%s as the service's user: status %d, %s%s", args[0], status, stdout, stderr)
		} else if args[0] == "verify" && !strings.Contains(stdout, "equal    "+prefix+"-accounts") {
			t.Errorf("verify as the service's user: %s%s", stdout, stderr)
		}
	}
	s.get(t, "/submissions/"+stored.ID).want(t, 200)

	const other = "somebody_elses"
	if status, answer := asUser(t, super, root, "PUT", "/"+other+"/_doc/1?refresh=true", `{"theirs":true}`); status != 201 {
		t.Fatalf("%d %s", status, answer)
	}
	defer asUser(t, super, root, "DELETE", "/"+other, "")
	for _, refused := range [][3]string{
		{"GET", "/" + other + "/_search", ""}, {"POST", "/" + other + "/_doc", `{}`}, {"DELETE", "/" + other, ""}, {"PUT", "/elsewhere", ""},
		{"GET", "/_security/user", ""}, {"PUT", "/_cluster/settings", `{"persistent":{"cluster.routing.allocation.enable":"none"}}`},
	} {
		if status, _ := asUser(t, "agentlore", own, refused[0], refused[1], refused[2]); status != 403 {
			t.Errorf("the service's user, %s %s: %d, want 403", refused[0], refused[1], status)
		}
	}

	for _, name := range []string{"accounts", "outcomes", "records", "state", "decisions"} {
		for _, path := range []string{"/" + prefix + "-" + name + "/_search", "/" + prefix + "-" + name + "-000001/_search"} {
			if status, _ := asUser(t, "analyst", people, "GET", path, ""); status != 403 {
				t.Errorf("an analyst, GET %s: %d, want 403", path, status)
			}
		}
	}
	status, answer := asUser(t, "analyst", people, "GET", "/_all/_search?size=1000", "")
	if status != 200 || !strings.Contains(answer, "a user of few rights") || strings.Contains(answer, "token_hash") || strings.Contains(answer, "owner of secured") {
		t.Errorf("an analyst's search over everything: %d %.500s; want what is public alone", status, answer)
	}
	for _, refused := range [][3]string{
		{"POST", "/" + prefix + "-submissions/_doc", `{}`}, {"DELETE", "/" + prefix + "-submissions-000002", ""}, {"PUT", "/" + prefix + "-sources/_settings", `{"index.blocks.write":true}`},
		{"POST", "/" + prefix + "-submissions/_update/" + stored.ID, `{"doc":{"summary":"changed"}}`},
	} {
		if status, _ := asUser(t, "analyst", people, refused[0], refused[1], refused[2]); status != 403 {
			t.Errorf("an analyst, %s %s: %d, want 403", refused[0], refused[1], status)
		}
	}

	wrong := password("wrong", "not "+own)
	began := time.Now()
	code, _, stderr := run(t, append(append([]string{"serve", "--listen=127.0.0.1:0", "--redis-url=", "--elasticsearch-username=agentlore",
		"--elasticsearch-password-file=" + wrong}, storeFlags(t, prefix)...), limitsOff...)...)
	if code != 1 || !strings.Contains(stderr, "refuses our credentials") || strings.Contains(stderr, own) || time.Since(began) > time.Minute {
		t.Errorf("a wrong password: status %d after %s, %s", code, time.Since(began), stderr)
	}
	for path, body := range map[string]string{
		"role/watcher": `{"cluster":["monitor"],"indices":[{"names":["` + prefix + `-*"],"privileges":["read"]}]}`, "user/watcher": `{"password":"` + people + `","roles":["watcher"]}`,
	} {
		if status, answer := asUser(t, super, root, "PUT", "/_security/"+path, body); status != 200 {
			t.Fatalf("%s: %d %s", path, status, answer)
		}
	}
	readOnly := append(append([]string{}, flags...), "--elasticsearch-username=watcher", "--elasticsearch-password-file="+filepath.Join(secrets, "analyst_password"))
	code, stdout, _ := run(t, readOnly...)
	if code != 1 || strings.Contains(stdout, "no index is there yet") || !strings.Contains(stdout, "lacks the privilege manage") || !strings.Contains(stdout, "it isn't visible") {
		t.Errorf("check as a user who may only read: status %d, %s; want its privileges named and nothing of missing indices", code, stdout)
	}
}
