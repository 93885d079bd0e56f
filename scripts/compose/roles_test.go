package compose

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// user is somebody on a real Elasticsearch with security on.
type user struct {
	url, name, password string
}

// status answers the HTTP status and the body of a request.
func (u user) status(t *testing.T, method, path, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, u.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth(u.name, u.password)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(answer)
}

// mustSetUp runs setup.sh against the engine, as the compose file does, and answers its users.
func mustSetUp(t *testing.T) (superuser, service, analyst user) {
	t.Helper()
	superuser = user{os.Getenv("ELASTICSEARCH_URL"), os.Getenv("ELASTICSEARCH_USERNAME"), os.Getenv("ELASTICSEARCH_PASSWORD")}
	if superuser.password == "" {
		t.Skip("needs Elasticsearch with security: scripts/engine with --name secure --security --wipe -- go -C scripts/compose test ./...")
	}
	secrets := t.TempDir()
	service = user{superuser.url, "agentlore", "service-" + filepath.Base(t.Name())}
	analyst = user{superuser.url, "analyst", "analyst-" + filepath.Base(t.Name())}
	for name, word := range map[string]string{
		"elastic": superuser.password, "kibana": "kibana-" + t.Name(), "service": service.password, "analyst": analyst.password,
	} {
		if err := os.WriteFile(filepath.Join(secrets, name+"_password"), []byte(word), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // it runs at every start of the compose file
		setup := exec.CommandContext(t.Context(), "bash", "setup.sh")
		setup.Env = append(os.Environ(), "SECRETS="+secrets)
		if out, err := setup.CombinedOutput(); err != nil {
			t.Fatalf("setup.sh: %v\n%s", err, out)
		} else if bytes.Contains(out, []byte(superuser.password)) || bytes.Contains(out, []byte(service.password)) {
			t.Fatalf("setup.sh prints a password:\n%s", out)
		}
	}
	return superuser, service, analyst
}

// collections are what analysts read; internals are what they don't.
var (
	collections = []string{"sources", "submissions", "knowledge-units", "patterns", "families", "assets", "suggestions", "safety-flags", "questions", "events", "searchlog"}
	internals   = []string{"accounts", "outcomes", "records", "state", "decisions"}
)

func TestRoles(t *testing.T) {
	superuser, service, analyst := mustSetUp(t)

	// The service makes its indices as the migration does, and nobody else's.
	for _, name := range append(append([]string{}, collections...), internals...) {
		index, alias := fmt.Sprintf("/agentlore-%s-000001", name), "agentlore-"+name
		if code, answer := service.status(t, "PUT", index, `{"aliases": {"`+alias+`": {}}}`); code != 200 {
			t.Fatalf("the service cannot create %s: %d %s", index, code, answer)
		}
		if code, answer := service.status(t, "PUT", "/"+alias+"/_create/one?refresh=true", `{"of": "`+name+`"}`); code != 201 {
			t.Fatalf("the service cannot write %s: %d %s", alias, code, answer)
		}
	}
	for path, body := range map[string]string{
		"/_cluster/health": "", "/agentlore-*/_count": "", "/_nodes/stats/fs": "",
	} {
		if code, answer := service.status(t, "GET", path, body); code != 200 {
			t.Errorf("the service, GET %s: %d %s", path, code, answer)
		}
	}
	for _, path := range []string{"/another", "/agentlore"} {
		if code, _ := service.status(t, "PUT", path, ""); code != 403 {
			t.Errorf("the service, PUT %s: %d, want 403", path, code)
		}
	}
	if code, _ := service.status(t, "GET", "/_security/user", ""); code != 403 {
		t.Errorf("the service lists users: %d, want 403", code)
	}

	// An analyst reads what is public, by alias and by index, and changes nothing.
	for _, name := range collections {
		for _, path := range []string{"/agentlore-" + name, "/agentlore-" + name + "-000001"} {
			if code, answer := analyst.status(t, "GET", path+"/_search", ""); code != 200 || !strings.Contains(answer, `"of": "`+name+`"`) {
				t.Errorf("an analyst, GET %s/_search: %d %s", path, code, answer)
			}
		}
		if code, _ := analyst.status(t, "POST", "/agentlore-"+name+"/_doc", `{}`); code != 403 {
			t.Errorf("an analyst writes %s: %d, want 403", name, code)
		}
	}
	for _, name := range internals {
		for _, path := range []string{"/agentlore-" + name, "/agentlore-" + name + "-000001"} {
			if code, _ := analyst.status(t, "GET", path+"/_search", ""); code != 403 {
				t.Errorf("an analyst, GET %s/_search: %d, want 403", path, code)
			}
		}
	}
	// A pattern opens what the role opens, and no more.
	if code, answer := analyst.status(t, "GET", "/_all/_search?size=100", ""); code != 200 ||
		!strings.Contains(answer, `"of": "sources"`) || strings.Contains(answer, `"of": "accounts"`) {
		t.Errorf("an analyst, GET /_all/_search: %d %s", code, answer)
	}
	// A later collection whose name begins like a public one is not opened by accident.
	if code, answer := superuser.status(t, "PUT", "/agentlore-sources-private", ""); code != 200 {
		t.Fatalf("%d %s", code, answer)
	}
	if code, _ := analyst.status(t, "GET", "/agentlore-sources-private/_search", ""); code != 403 {
		t.Errorf("an analyst reads agentlore-sources-private: %d, want 403", code)
	}
}
