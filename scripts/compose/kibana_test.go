package compose

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fakeKibana answers as Kibana does to an import that overwrites and to rules, of which it refuses an id that it has.
type fakeKibana struct {
	t       *testing.T
	objects map[string]string
	rules   map[string]string
}

func (k *fakeKibana) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, password, _ := r.BasicAuth()
	if r.Header.Get("kbn-xsrf") == "" || password != user+"'s" {
		k.t.Errorf("%s %s by %q %q", r.Method, r.URL, user, password)
	}
	id, isRule := strings.CutPrefix(r.URL.Path, "/api/alerting/rule/")
	switch {
	case isRule && user == "analyst":
		body, _ := io.ReadAll(r.Body)
		var rule map[string]any
		if err := json.Unmarshal(body, &rule); err != nil || rule["id"] != nil || rule["name"] == "" {
			k.t.Errorf("rule %s: %v in %s", id, err, body)
		}
		if _, there := k.rules[id]; there {
			w.WriteHeader(http.StatusConflict)
			return
		}
		k.rules[id] = string(body)
	case r.URL.Path == "/api/saved_objects/_import" && r.URL.RawQuery == "overwrite=true" && user == "elastic":
		file, _, err := r.FormFile("file")
		if err != nil {
			k.t.Error(err)
			return
		}
		text, _ := io.ReadAll(file)
		for line := range strings.Lines(string(text)) {
			var object struct{ ID string }
			if err := json.Unmarshal([]byte(line), &object); err != nil {
				k.t.Error(err)
			}
			k.objects[object.ID] = line
		}
		_, _ = io.WriteString(w, `{"success":true}`)
	default:
		k.t.Errorf("%s asks %s %s", user, r.Method, r.URL)
	}
}

// What analysts changed outlives the next version: a rule as they have it, and a copy of a chart; the charts that come along are replaced.
func TestEditsSurviveAnUpgrade(t *testing.T) {
	kibana := &fakeKibana{t, map[string]string{}, map[string]string{}}
	server := httptest.NewServer(kibana)
	defer server.Close()
	secrets := t.TempDir()
	for _, user := range []string{"elastic", "analyst"} {
		if err := os.WriteFile(filepath.Join(secrets, user+"_password"), []byte(user+"'s"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	start := func(want string) {
		t.Helper()
		command := exec.Command("bash", "kibana.sh")
		command.Env = append(os.Environ(), "SECRETS="+secrets, "KIBANA_URL="+server.URL, "OBJECTS=../../kibana/agentlore.ndjson", "RULES=../../kibana/rules.ndjson")
		if said, err := command.CombinedOutput(); err != nil || !strings.Contains(string(said), want) {
			t.Fatalf("%v: %s", err, said)
		}
	}
	start("8 alert rules are new")
	const chart = "agentlore-lens-breaks-month"
	whole := kibana.objects[chart]
	kibana.objects["a copy"], kibana.objects[chart] = "mine", "of an earlier version"
	var edited, deleted string
	for id := range kibana.rules {
		if edited == "" {
			edited, kibana.rules[id] = id, "every five hours"
			continue
		}
		deleted = id
		delete(kibana.rules, id)
		break
	}
	start("1 alert rules are new")
	if kibana.rules[edited] != "every five hours" || kibana.rules[deleted] == "" || kibana.objects["a copy"] != "mine" || kibana.objects[chart] != whole {
		t.Errorf("after an upgrade: %q, %q, %q", kibana.rules[edited], kibana.objects["a copy"], kibana.objects[chart])
	}
}

// Another index prefix reaches the data views, and nothing else of what goes into Kibana.
func TestKibanaObjectsHaveThePrefix(t *testing.T) {
	committed, err := os.ReadFile("../../kibana/agentlore.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	for _, prefix := range []string{"agentlore", "xagentlore_"} {
		command := exec.Command("bash", "kibana.sh", "print")
		command.Env = append(os.Environ(), "OBJECTS=../../kibana/agentlore.ndjson", "AGENTLORE_INDEX_PREFIX="+prefix)
		printed, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		if back := strings.ReplaceAll(string(printed), prefix+"-", "agentlore-"); back != string(committed) {
			t.Errorf("%s: the objects are others", prefix)
		}
		if views := strings.Count(string(printed), `"title":"`+prefix+"-"); views != 10 {
			t.Errorf("%s: %d data views have the prefix, want 10", prefix, views)
		}
	}
}
