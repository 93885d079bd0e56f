// Package compose holds docker-compose.yml to what scripts/engine runs, with the library that Compose v2 itself reads it with.
package compose

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// repository is the root of the repository, seen from this package's folder.
const repository = "../.."

// mustLoad reads docker-compose.yml with a profile, as a newcomer has it: no .env and nothing set.
func mustLoad(t *testing.T, profiles ...string) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{filepath.Join(repository, "docker-compose.yml")}, cli.WithProfiles(profiles))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return project
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// mustMatch answers the first group of pattern in a file.
func mustMatch(t *testing.T, path, pattern string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(mustRead(t, path))
	if found == nil {
		t.Fatalf("%s holds nothing like %s", path, pattern)
	}
	return found[1]
}

// nodes are the services that run an Elasticsearch node; the one-shots use its image for its tools.
func nodes(project *types.Project) []types.ServiceConfig {
	var found []types.ServiceConfig
	for name, service := range project.Services {
		if strings.HasPrefix(name, "elasticsearch") {
			found = append(found, service)
		}
	}
	return found
}

func oneShot(name string) bool {
	return name == "secrets" || name == "setup" || name == "kibana-objects"
}

func TestNodesHaveTheSettingsThatTheEngineRuns(t *testing.T) {
	settings := map[string]string{}
	for line := range strings.Lines(mustRead(t, "scripts/elasticsearch.settings")) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, found := strings.Cut(line, "=")
		if !found {
			t.Fatalf("%q is not key=value", line)
		}
		settings[key] = value
	}
	if len(settings) == 0 {
		t.Fatal("no settings at all")
	}
	found := nodes(mustLoad(t, "cluster"))
	if len(found) != 3 {
		t.Fatalf("%d nodes in the profile cluster, want 3", len(found))
	}
	for _, node := range found {
		for key, want := range settings {
			got := node.Environment[key]
			if got == nil {
				t.Errorf("%s does not set %s", node.Name, key)
			} else if *got != want {
				t.Errorf("%s sets %s=%s, the engine runs %s", node.Name, key, *got, want)
			}
		}
		if on := node.Environment["xpack.security.enabled"]; on == nil || *on != "true" {
			t.Errorf("%s runs without security", node.Name)
		}
	}
}

func TestNodesHaveTheJVMOptionsThatTheEngineRuns(t *testing.T) {
	want := mustMatch(t, "scripts/engine.d/elasticsearch.sh", `(?m)^NODE_JVM_OPTIONS=(\S+)$`)
	for _, node := range nodes(mustLoad(t, "cluster")) {
		if got := node.Environment["ES_JAVA_OPTS"]; got == nil || !strings.HasSuffix(*got, " "+want) {
			t.Errorf("%s has no %s in its ES_JAVA_OPTS", node.Name, want)
		}
	}
}

func TestImagesAreOfTheVersionThatTheEngineRuns(t *testing.T) {
	want := mustMatch(t, "scripts/engine.d/distribution.sh", `(?m)^ES_VERSION=(\S+)$`)
	for name, service := range mustLoad(t, "cluster").Services {
		image, version, _ := strings.Cut(service.Image, ":")
		if strings.HasPrefix(image, "docker.elastic.co/") && version != want {
			t.Errorf("%s runs %s, the engine %s", name, service.Image, want)
		}
	}
}

func TestDockerfileBuildsWithTheGoOfTheModule(t *testing.T) {
	want := mustMatch(t, "go.mod", `(?m)^go (\S+)$`)
	if got := mustMatch(t, "Dockerfile", `(?m)^ARG GO_VERSION=(\S+)$`); got != want {
		t.Errorf("the Dockerfile builds with Go %s, go.mod says %s", got, want)
	}
}

func TestProfiles(t *testing.T) {
	for _, test := range []struct {
		profile         string
		nodes, services int
	}{{"", 1, 1}, {"cluster", 3, 2}} {
		project := mustLoad(t, test.profile)
		services := 0
		for name := range project.Services {
			if strings.HasPrefix(name, "agentlore") {
				services++
			}
		}
		if len(nodes(project)) != test.nodes || services != test.services {
			t.Errorf("profile %q: %d nodes and %d services, want %d and %d",
				test.profile, len(nodes(project)), services, test.nodes, test.services)
		}
	}
}

func TestNothingIsPublishedBeyondThisMachine(t *testing.T) {
	for name, service := range mustLoad(t, "cluster").Services {
		for _, port := range service.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s publishes %s on %q", name, port.Published, port.HostIP)
			}
			if !strings.HasPrefix(name, "agentlore") && name != "kibana" {
				t.Errorf("%s publishes a port; only the service and Kibana are meant for people", name)
			}
		}
	}
}

func TestEveryServerHasAHealthCheck(t *testing.T) {
	for name, service := range mustLoad(t, "cluster").Services {
		if !oneShot(name) && (service.HealthCheck == nil || len(service.HealthCheck.Test) == 0) {
			t.Errorf("%s has no health check", name)
		}
	}
}

// The service asks itself at its base address, in the compose file and in the image: the command adds the path.
func TestTheServiceAsksForItsHealth(t *testing.T) {
	const address = "http://127.0.0.1:8080"
	want := []string{"CMD", "/agentlore", "health", "--url", address}
	if check := mustLoad(t, "cluster").Services["agentlore"].HealthCheck; check == nil || !slices.Equal(check.Test, want) {
		t.Errorf("the service's health check is %v, want %v", check, want)
	}
	image, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(image), `CMD ["/agentlore", "health", "--url", "`+address+`"]`) {
		t.Error("the image's health check is another one")
	}
}

// The password of Elasticsearch's superuser is for its nodes and the one-shot services that set up.
func TestSecretsReachTheirConsumersOnly(t *testing.T) {
	want := map[string]string{
		"kibana": "secrets-kibana", "agentlore": "secrets-service", "agentlore-2": "secrets-service", "setup": "secrets-setup", "kibana-objects": "secrets-setup",
		"elasticsearch-1": "secrets-elasticsearch", "elasticsearch-2": "secrets-elasticsearch", "elasticsearch-3": "secrets-elasticsearch",
	}
	for name, service := range mustLoad(t, "cluster").Services {
		if name == "secrets" {
			continue
		}
		for _, volume := range service.Volumes {
			if !strings.HasPrefix(volume.Source, "secrets-") {
				continue
			}
			if volume.Source != want[name] {
				t.Errorf("%s mounts %s", name, volume.Source)
			}
			if !volume.ReadOnly {
				t.Errorf("%s may write %s", name, volume.Source)
			}
		}
	}
}

// Every setting of the service that .env names reaches its container, but for those by which the compose file ties its own parts
// together.
func TestEverySettingReachesTheService(t *testing.T) {
	own := []string{
		"AGENTLORE_URL", "AGENTLORE_LISTEN", "ELASTICSEARCH_URL", "ELASTICSEARCH_USERNAME", "ELASTICSEARCH_PASSWORD", "ELASTICSEARCH_PASSWORD_FILE",
		"ELASTICSEARCH_API_KEY", "ELASTICSEARCH_API_KEY_FILE", "ELASTICSEARCH_CA", "REDIS_URL", "REDIS_PASSWORD", "REDIS_PASSWORD_FILE", "REDIS_CA",
	}
	files, err := filepath.Glob(filepath.Join(repository, "cmd/agentlore/*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var settings, set []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`env:"([A-Z_]+)"`).FindAllStringSubmatch(string(text), -1) {
			if name := found[1]; !slices.Contains(own, name) && !slices.Contains(settings, name) {
				settings, set = append(settings, name), append(set, name+"=a value of its own for "+name)
			}
		}
	}
	if len(settings) < 20 {
		t.Fatalf("only %d settings are found: %v", len(settings), settings)
	}
	t.Log(len(settings), "settings")
	options, err := cli.NewProjectOptions([]string{filepath.Join(repository, "docker-compose.yml")}, cli.WithProfiles([]string{"cluster"}), cli.WithEnv(set))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	unset := mustLoad(t, "cluster")
	for _, service := range []string{"agentlore", "agentlore-2"} {
		for _, name := range settings {
			if got := project.Services[service].Environment[name]; got == nil || *got != "a value of its own for "+name {
				t.Errorf("%s doesn't reach %s", name, service)
			}
			if got := unset.Services[service].Environment[name]; got != nil && *got == "" {
				t.Errorf("%s is empty where nobody sets it: the service would take it for a value", name)
			}
		}
	}
}

// The profile semantic starts an embeddings server whose model is pinned, and no other profile asks one.
func TestEmbeddingsServerIsPinnedAndOff(t *testing.T) {
	if _, there := mustLoad(t).Services["embeddings"]; there {
		t.Error("an embeddings server starts without its profile")
	}
	project := mustLoad(t, "semantic")
	server := project.Services["embeddings"]
	if revision := server.Environment["REVISION"]; revision == nil || !regexp.MustCompile(`^[0-9a-f]{40}$`).MatchString(*revision) {
		t.Error("the model is not pinned to a commit")
	}
	if !regexp.MustCompile(`:cpu-\d+\.\d+\.\d+$`).MatchString(server.Image) {
		t.Errorf("the image %s is not pinned", server.Image)
	}
	service := project.Services["agentlore"]
	if url := service.Environment["AGENTLORE_EMBEDDINGS_URL"]; url != nil && *url != "" {
		t.Error("a newcomer's service asks an embeddings server")
	}
	reached := false
	for network := range server.Networks {
		_, both := service.Networks[network]
		reached = reached || both
	}
	if !reached {
		t.Error("the service doesn't reach the embeddings server")
	}
}
