// Package deploy checks what an operator deploys: the Helm chart and Prometheus' rules. It is a module of its own, since Helm, Prometheus and
// Kubernetes' types are no part of the service.
package deploy

import (
	"maps"
	"slices"
	"strings"
	"testing"

	elasticsearch "github.com/elastic/cloud-on-k8s/v3/pkg/apis/elasticsearch/v1"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
)

const chart = "helm/agentlore"

// Values of an installation.
const (
	defaults = ``
	// elsewhere has Elasticsearch and Redis of the operator's own.
	elsewhere = `
elasticsearch: {urls: ["https://es-1:9200", "https://es.example.org"], secret: own, caSecret: own-ca}
redis: {url: "rediss://redis.example.org:6380/0", secret: ""}
autoscaling: {enabled: false}
settings: {AGENTLORE_REGISTRATION: invite, AGENTLORE_MAX_READS: 16}
networkPolicy: {egress: [{ports: [{port: 6380}]}]}
image: {digest: "sha256:0123"}
`
	// alone is one replica without Redis and limits of the network.
	alone = `
redis: {install: false}
networkPolicy: {enabled: false}
autoscaling: {min: 1, waiting: 4}
elasticsearch: {nodes: 1, storage: {class: fast}}
`
)

// valuesOf reads values in YAML.
func valuesOf(t *testing.T, text string) map[string]any {
	t.Helper()
	values, err := loader.LoadValues(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// render returns the objects of a release by their kind and name, each decoded strictly: an unknown field or a field that is there twice
// is an error.
func render(t *testing.T, values string) (objects map[string]runtime.Object, err error) {
	t.Helper()
	loaded, err := loader.Load(chart)
	if err != nil {
		t.Fatal(err)
	}
	release := common.ReleaseOptions{Name: "lore", Namespace: "agents", IsInstall: true}
	all, err := util.ToRenderValues(loaded, valuesOf(t, values), release, nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := engine.Engine{Strict: true}.Render(loaded, all)
	if err != nil {
		return nil, err
	}
	known := runtime.NewScheme()
	if err := scheme.AddToScheme(known); err != nil {
		t.Fatal(err)
	}
	if err := elasticsearch.AddToScheme(known); err != nil {
		t.Fatal(err)
	}
	decoder := serializer.NewCodecFactory(known, serializer.EnableStrict).UniversalDeserializer()
	objects = map[string]runtime.Object{}
	for name, text := range files {
		for document := range strings.SplitSeq(text, "\n---\n") {
			if strings.TrimSpace(document) == "" {
				continue
			}
			object, kind, err := decoder.Decode([]byte(document), nil, nil)
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, document)
			}
			named, is := object.(interface{ GetName() string })
			if !is {
				t.Fatalf("%s: %s has no name", name, kind)
			}
			objects[kind.Kind+" "+named.GetName()] = object
		}
	}
	return objects, nil
}

// get returns one of the objects.
func get[T runtime.Object](t *testing.T, objects map[string]runtime.Object, name string) T {
	t.Helper()
	object, is := objects[name].(T)
	if !is {
		t.Fatalf("no %s among %v", name, slices.Sorted(maps.Keys(objects)))
	}
	return object
}
