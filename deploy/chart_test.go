package deploy

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	elasticsearch "github.com/elastic/cloud-on-k8s/v3/pkg/apis/elasticsearch/v1"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	podsecurity "k8s.io/pod-security-admission/api"
	checks "k8s.io/pod-security-admission/policy"
)

func TestChartIsClean(t *testing.T) {
	for name, values := range map[string]string{"defaults": defaults, "elsewhere": elsewhere, "alone": alone} {
		for _, message := range lint.RunAll(chart, valuesOf(t, values), "agents").Messages {
			if message.Severity > support.InfoSev {
				t.Errorf("%s: %s", name, message)
			}
		}
	}
}

// Kubernetes' own check says whether a namespace of level "restricted" takes the pods.
func TestPodsAreRestricted(t *testing.T) {
	evaluator, err := checks.NewEvaluator(checks.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	level := podsecurity.LevelVersion{Level: podsecurity.LevelRestricted, Version: podsecurity.LatestVersion()}
	pods := 0
	for _, values := range []string{defaults, elsewhere, alone} {
		objects, err := render(t, values)
		if err != nil {
			t.Fatal(err)
		}
		for name, object := range objects {
			deployment, is := object.(*apps.Deployment)
			if !is {
				continue
			}
			pods++
			pod := deployment.Spec.Template
			result := checks.AggregateCheckResults(evaluator.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec))
			if !result.Allowed {
				t.Errorf("%s: %s: %s", name, result.ForbiddenReason(), result.ForbiddenDetail())
			}
			for _, container := range pod.Spec.Containers {
				if container.SecurityContext.ReadOnlyRootFilesystem == nil || !*container.SecurityContext.ReadOnlyRootFilesystem {
					t.Errorf("%s can write into its image", name)
				}
				if container.Resources.Limits.Memory().IsZero() || container.Resources.Requests.Cpu().IsZero() {
					t.Errorf("%s has no limit of memory, or asks for no processor: nothing could be scaled by it", name)
				}
			}
		}
	}
	if pods != 4 {
		t.Errorf("%d deployments", pods)
	}
}

// The parts of a release fit together: selectors match the pods' labels, ports have the same names, and a pod has time to drain.
func TestTheReleaseFitsTogether(t *testing.T) {
	objects, err := render(t, defaults)
	if err != nil {
		t.Fatal(err)
	}
	deployment := get[*apps.Deployment](t, objects, "Deployment lore-agentlore")
	pod := deployment.Spec.Template
	selects := func(what string, selector map[string]string) {
		if len(selector) == 0 || !labels.SelectorFromSet(selector).Matches(labels.Set(pod.Labels)) {
			t.Errorf("%s selects %v, the pods have %v", what, selector, pod.Labels)
		}
	}
	selects("the deployment", deployment.Spec.Selector.MatchLabels)
	selects("the service", get[*core.Service](t, objects, "Service lore-agentlore").Spec.Selector)
	selects("the disruption budget", get[*policy.PodDisruptionBudget](t, objects, "PodDisruptionBudget lore-agentlore").Spec.Selector.MatchLabels)
	network := get[*networking.NetworkPolicy](t, objects, "NetworkPolicy lore-agentlore").Spec
	selects("the network policy", network.PodSelector.MatchLabels)
	selects("Redis's network policy", get[*networking.NetworkPolicy](t, objects, "NetworkPolicy lore-agentlore-redis").
		Spec.Ingress[0].From[0].PodSelector.MatchLabels)
	redis := get[*apps.Deployment](t, objects, "Deployment lore-agentlore-redis").Spec.Template.Labels
	if !labels.SelectorFromSet(network.Egress[2].To[0].PodSelector.MatchLabels).Matches(labels.Set(redis)) ||
		!labels.SelectorFromSet(get[*core.Service](t, objects, "Service lore-agentlore-redis").Spec.Selector).Matches(labels.Set(redis)) {
		t.Errorf("Redis has the labels %v", redis)
	}
	scaler := get[*autoscaling.HorizontalPodAutoscaler](t, objects, "HorizontalPodAutoscaler lore-agentlore").Spec
	if scaler.ScaleTargetRef.Name != deployment.Name || deployment.Spec.Replicas != nil || *scaler.MinReplicas != 2 {
		t.Errorf("scaled: %v, replicas %v", scaler, deployment.Spec.Replicas)
	}
	environment := map[string]string{}
	for _, variable := range pod.Spec.Containers[0].Env {
		environment[variable.Name] = variable.Value
	}
	store := get[*elasticsearch.Elasticsearch](t, objects, "Elasticsearch lore-agentlore-store")
	if got, want := environment["ELASTICSEARCH_URL"], "https://"+elasticsearch.HTTPService(store.Name)+":9200"; got != want {
		t.Errorf("Elasticsearch is sought at %s, and is at %s", got, want)
	}
	get[*core.Secret](t, objects, "Secret "+store.Spec.Auth.Roles[0].SecretName)
	if got := environment["AGENTLORE_DRAIN_DELAY"] + " " + environment["AGENTLORE_DRAIN_TIMEOUT"]; got != "15s 20s" ||
		*pod.Spec.TerminationGracePeriodSeconds < 15+20+20 {
		t.Errorf("drained for %s, killed after %d s", got, *pod.Spec.TerminationGracePeriodSeconds)
	}
	container := pod.Spec.Containers[0]
	for path, probe := range map[string]*core.Probe{
		"/livez": container.LivenessProbe, "/readyz": container.ReadinessProbe,
	} {
		if probe.HTTPGet.Path != path || probe.HTTPGet.Port.String() != "metrics" {
			t.Errorf("%s: %v", path, probe.HTTPGet)
		}
	}
	// Until the last balancer has noticed that the pod is not ready, it takes requests.
	if noticed := container.ReadinessProbe.PeriodSeconds * container.ReadinessProbe.FailureThreshold; noticed == 0 || noticed > 15 {
		t.Errorf("noticed after %d s", noticed)
	}
}

// Where the operator has stores of its own, the chart makes none, and the service gets what was said of them.
func TestStoresOfTheOperatorsOwn(t *testing.T) {
	objects, err := render(t, elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Deployment lore-agentlore", "NetworkPolicy lore-agentlore", "PodDisruptionBudget lore-agentlore", "Service lore-agentlore"}
	if got := slices.Sorted(maps.Keys(objects)); !slices.Equal(got, want) {
		t.Errorf("the release has %v", got)
	}
	deployment := get[*apps.Deployment](t, objects, "Deployment lore-agentlore").Spec
	if *deployment.Replicas != 2 || deployment.Template.Spec.Containers[0].Image != "agentlore@sha256:0123" {
		t.Errorf("%d replicas of %s", *deployment.Replicas, deployment.Template.Spec.Containers[0].Image)
	}
	var got []string
	for _, variable := range deployment.Template.Spec.Containers[0].Env {
		got = append(got, variable.Name+"="+variable.Value)
	}
	for _, line := range []string{
		"ELASTICSEARCH_URL=https://es-1:9200,https://es.example.org", "ELASTICSEARCH_CA=/run/elasticsearch-ca/ca.crt",
		"REDIS_URL=rediss://redis.example.org:6380/0", "AGENTLORE_REGISTRATION=invite", "AGENTLORE_MAX_READS=16",
	} {
		if !slices.Contains(got, line) {
			t.Errorf("no %s among %v", line, got)
		}
	}
	var ports []string
	for _, rule := range get[*networking.NetworkPolicy](t, objects, "NetworkPolicy lore-agentlore").Spec.Egress {
		for _, port := range rule.Ports {
			ports = append(ports, port.Port.String())
		}
	}
	if !slices.Equal(ports, []string{"53", "53", "9200", "443", "6380"}) {
		t.Errorf("the service may reach the ports %v", ports)
	}
}

// Every variable that the chart sets is one that the service reads.
func TestTheServiceKnowsEveryVariable(t *testing.T) {
	var files []string
	for _, folder := range []string{"cmd/agentlore", "handlers"} { // flags of the command, and those that it takes from handlers
		found, err := filepath.Glob("../" + folder + "/*.go")
		if err != nil || len(found) == 0 {
			t.Fatal(folder, found, err)
		}
		files = append(files, found...)
	}
	known := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`env:"(\w+)"`).FindAllStringSubmatch(string(text), -1) {
			known[found[1]] = true
		}
	}
	for _, values := range []string{defaults, elsewhere, alone} {
		objects, err := render(t, values)
		if err != nil {
			t.Fatal(err)
		}
		for _, variable := range get[*apps.Deployment](t, objects, "Deployment lore-agentlore").Spec.Template.Spec.Containers[0].Env {
			if !known[variable.Name] {
				t.Errorf("no setting is called %s", variable.Name)
			}
		}
	}
}

// Tests run on the versions of the compose file: the chart installs the same.
func TestVersionsAreThoseOfTheComposeFile(t *testing.T) {
	compose, err := os.ReadFile("../docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	objects, err := render(t, defaults)
	if err != nil {
		t.Fatal(err)
	}
	for _, image := range []string{
		"elasticsearch/elasticsearch:" + get[*elasticsearch.Elasticsearch](t, objects, "Elasticsearch lore-agentlore-store").Spec.Version,
		get[*apps.Deployment](t, objects, "Deployment lore-agentlore-redis").Spec.Template.Spec.Containers[0].Image,
	} {
		if !strings.Contains(string(compose), image+"\n") {
			t.Errorf("the compose file doesn't run %s", image)
		}
	}
}

// What can't work is refused before anything is installed.
func TestFaultyValues(t *testing.T) {
	for values, want := range map[string]string{
		`elasticsearch: {install: false}`:            "set elasticsearch.urls",
		`settings: {ELASTICSEARCH_URL: "http://es"}`: "settings.ELASTICSEARCH_URL: the chart sets it",
		`redis: {secret: ""}`:                        "needs a password",
	} {
		if _, err := render(t, values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", values, err, want)
		}
	}
}
