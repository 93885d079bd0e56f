package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"agentlore/enginetest"
)

// endpoints is what GET /api/schema says, as far as tests need it.
type endpoints struct {
	Service   string                     `json:"service"`
	Version   string                     `json:"version"`
	Schemas   map[string]json.RawMessage `json:"schemas"`
	Endpoints []struct {
		Method     string          `json:"method"`
		Path       string          `json:"path"`
		Purpose    string          `json:"purpose"`
		Auth       string          `json:"auth"`
		RateClass  string          `json:"rate_class"`
		Input      json.RawMessage `json:"input"`
		Output     json.RawMessage `json:"output"`
		Status     int             `json:"status"`
		Example    json.RawMessage `json:"example"`
		Parameters []struct {
			Name, In string
		} `json:"parameters"`
		Errors []struct {
			Status int    `json:"status"`
			Code   string `json:"code"`
		} `json:"errors"`
	} `json:"endpoints"`
	Documents []struct {
		Path       string   `json:"path"`
		MediaTypes []string `json:"media_types"`
		Purpose    string   `json:"purpose"`
	} `json:"documents"`
	MCP          string              `json:"mcp"`
	Categories   []map[string]string `json:"categories"`
	SearchLayers map[string]string   `json:"search_layers"`
	RateLimits   map[string]string   `json:"rate_limits"`
}

// openAPI is what GET /openapi.json says, as far as tests need it.
type openAPI struct {
	OpenAPI string                             `json:"openapi"`
	Paths   map[string]map[string]apiOperation `json:"paths"`
}

type apiOperation struct {
	OperationID string              `json:"operationId"`
	Security    []map[string][]any  `json:"security"`
	Responses   map[string]response `json:"responses"`
}

type response struct {
	Content map[string]struct {
		Schema map[string]any `json:"schema"`
	} `json:"content"`
}

// specified are the operations of the interface specification: they never go away.
var specified = []string{
	"GET /health", "GET /status", "GET /categories", "GET /api/schema", "POST /intake/register", "POST /intake/connect",
	"POST /intake/submit", "GET /knowledge", "GET /patterns", "GET /assets", "GET /sources", "GET /analytics", "GET /search/all",
	"GET /libraries",
}

// What is served is what is described, in both descriptions, and what the specification asks for is there.
func TestServedIsDescribed(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	schema := decode[endpoints](t, s.get(t, "/api/schema").want(t, 200))
	api := decode[openAPI](t, s.get(t, "/openapi.json").want(t, 200))
	var inSchema, inOpenAPI []string
	for _, e := range schema.Endpoints {
		inSchema = append(inSchema, e.Method+" "+e.Path)
		if e.Purpose == "" || e.Output == nil || e.Status == 0 || len(e.Errors) == 0 {
			t.Errorf("%s %s lacks a purpose, an output, a status or its errors", e.Method, e.Path)
		}
		if write := e.Method == "POST"; write && (e.Input == nil || e.Example == nil) && e.Path != "/intake/token/rotate" {
			t.Errorf("%s %s lacks its input or an example", e.Method, e.Path)
		} else if wantAuth := write && e.Path != "/intake/register" && e.Path != "/intake/connect" && e.Path != "/ask" ||
			slices.Contains([]string{"/intake/mine", "/intake/principal", "/intake/webhook", "/submissions/{id}/history"}, e.Path) || e.Method == "PATCH"; (e.Auth == "bearer") != wantAuth {
			t.Errorf("%s %s has auth %s", e.Method, e.Path, e.Auth)
		}
		if operation, described := api.Paths[e.Path][strings.ToLower(e.Method)]; described && (e.Auth == "bearer") != (len(operation.Security) > 0) {
			t.Errorf("%s %s: the two descriptions differ on the token", e.Method, e.Path)
		}
	}
	for _, d := range schema.Documents {
		inSchema = append(inSchema, "GET "+d.Path)
		media, _, _ := strings.Cut(s.get(t, d.Path).want(t, 200).header.Get("Content-Type"), ";")
		if d.Purpose == "" || !slices.Contains(d.MediaTypes, media) {
			t.Errorf("%s is %s, and described as %v with the purpose %q", d.Path, media, d.MediaTypes, d.Purpose)
		}
	}
	inSchema = append(inSchema, "POST "+schema.MCP)
	ids := map[string]bool{}
	for path, methods := range api.Paths {
		for method, operation := range methods {
			inOpenAPI = append(inOpenAPI, strings.ToUpper(method)+" "+path)
			if operation.OperationID == "" || ids[operation.OperationID] {
				t.Errorf("%s %s has operationId %q", method, path, operation.OperationID)
			}
			ids[operation.OperationID] = true
		}
	}
	slices.Sort(inSchema)
	slices.Sort(inOpenAPI)
	if !slices.Equal(inSchema, inOpenAPI) {
		t.Errorf("/api/schema and /openapi.json differ:\n%s\n%s", inSchema, inOpenAPI)
	}
	for _, operation := range specified {
		if !slices.Contains(inSchema, operation) {
			t.Errorf("the specification's %s isn't there", operation)
		}
	}
	if api.OpenAPI != "3.1.0" || schema.Version != "2.0" || len(schema.Categories) != 10 || len(schema.SearchLayers) != 3 {
		t.Errorf("OpenAPI %s, version %s, %d categories, layers %v", api.OpenAPI, schema.Version, len(schema.Categories), schema.SearchLayers)
	}
	// Every described operation is served, and by no other method than is described.
	for _, path := range slices.Sorted(maps.Keys(api.Paths)) {
		asked := strings.ReplaceAll(path, "{id}", "00000000-0000-7000-8000-000000000000")
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			got := s.send(t, method, asked, nil)
			_, described := api.Paths[path][strings.ToLower(method)]
			if served := got.status != http.StatusMethodNotAllowed; served != described {
				t.Errorf("%s %s: described %v, but status %d", method, path, described, got.status)
			}
			if described && got.status == 404 && !strings.Contains(path, "{") {
				t.Errorf("%s %s is described and not there", method, path)
			}
		}
	}
	// What frameworks like to serve by themselves. That no route of ours is undescribed is a test of package handlers.
	for _, undescribed := range []string{"/schemas", "/openapi.yaml", "/openapi", "/openapi-3.0.json", "/schemas/Submission.json", "/debug/pprof/", "/debug/vars", "/index.html", "/swagger"} {
		if _, described := api.Paths[undescribed]; !described && s.get(t, undescribed).status != 404 {
			t.Errorf("%s is served and not described", undescribed)
		}
	}
}

// Every example works when it is sent as it stands, and every answer has the status and the form that are described.
func TestExamplesWork(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	schema := decode[endpoints](t, s.get(t, "/api/schema").want(t, 200))
	raw := s.get(t, "/openapi.json").want(t, 200)
	if strings.Contains(string(raw.body), "patternDescription") { // Huma's own word: linters refuse it
		t.Error("the document has words that OpenAPI doesn't know")
	}
	api, document := decode[openAPI](t, raw), decode[map[string]any](t, raw)

	var token, submission string
	check := func(method, path string, got answer) {
		t.Helper()
		described, ok := api.Paths[path][strings.ToLower(method)].Responses[fmt.Sprint(got.status)]
		if !ok {
			t.Errorf("%s %s: status %d isn't described", method, path, got.status)
			return
		}
		media, _, _ := strings.Cut(got.header.Get("Content-Type"), ";")
		content, ok := described.Content[media]
		if !ok {
			t.Errorf("%s %s: status %d with Content-Type %q isn't described", method, path, got.status, media)
			return
		}
		var value any = string(got.body)
		if strings.HasSuffix(media, "json") && media != "application/x-ndjson" {
			if err := json.Unmarshal(got.body, &value); err != nil {
				t.Fatal(err)
			}
		}
		for _, fault := range mismatches(document, content.Schema, value, "") {
			t.Errorf("%s %s, status %d: %s", method, path, got.status, fault)
		}
	}
	for _, e := range schema.Endpoints {
		if e.Method != "POST" {
			continue
		}
		var headers []string
		if e.Auth == "bearer" {
			headers = []string{"Authorization", "Bearer " + token}
		}
		body := string(e.Example)
		if submission != "" && strings.HasPrefix(body, "{") { // examples name an item by an id that can't exist here
			body = replaceTarget(t, e.Example, submission)
		}
		if e.Path == "/intake/outcome" { // on one's own item there is none
			headers = s.register(t, "somebody else").bearer()
		}
		if e.Path == "/intake/end" { // of a source that this one registered
			body = `{"id": "` + decode[registered](t, s.send(t, "POST", "/intake/connect", `{"name": "helper of mine", "type": "bot"}`, headers...).want(t, 201)).ID + `"}`
		}
		got := s.send(t, e.Method, e.Path, body, headers...)
		if got.status != e.Status {
			t.Errorf("the example of %s %s: status %d, want %d: %.300s", e.Method, e.Path, got.status, e.Status, got.body)
			continue
		}
		check(e.Method, e.Path, got)
		switch e.Path {
		case "/intake/register":
			token = decode[registered](t, got).APIToken
		case "/intake/submit":
			submission = decode[submitted](t, got).ID
		}
	}
	storeOneOfEach(t, s)
	for _, e := range schema.Endpoints {
		if e.Method != "GET" {
			continue
		}
		asked := strings.Replace(e.Path, "/{id}/history", "/"+submission+"/history", 1)
		var bearer []string
		if e.Auth == "bearer" {
			bearer = []string{"Authorization", "Bearer " + token}
		}
		var example string
		if json.Unmarshal(e.Example, &example) == nil && example != "" {
			check(e.Method, e.Path, s.get(t, example, bearer...).want(t, e.Status))
		}
		if collection, isItem := strings.CutSuffix(e.Path, "/{id}"); isItem {
			listed := decode[page](t, s.get(t, strings.Replace(collection, "/items", "/submissions", 1)).want(t, 200))
			if len(listed.Results) == 0 {
				t.Errorf("%s lists nothing to read", collection)
				continue
			}
			asked = collection + "/" + listed.ids()[0]
		}
		if e.Path != "/export" && e.Path != "/ask" { // which have a parameter that must be given
			check(e.Method, e.Path, s.get(t, asked, bearer...).want(t, e.Status))
		}
		check(e.Method, e.Path, s.get(t, asked+"?no_such_parameter=1", bearer...).want(t, 422))
	}
	check("GET", "/search/all", s.get(t, "/search/all?q=usdt&facets=true&explain=true&detail=full").want(t, 200))
	check("GET", "/submissions/{id}", s.get(t, "/submissions/unknown").want(t, 404))
	check("POST", "/intake/submit", s.send(t, "POST", "/intake/submit", `{}`).want(t, 401))
}

// replaceTarget puts the id of an item that exists where an example names a target.
func replaceTarget(t *testing.T, example json.RawMessage, id string) string {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal(example, &members); err != nil {
		t.Fatalf("an example that is no JSON object: %s", example)
	}
	if members["id"] != nil {
		members["id"] = id
	}
	replaced, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(replaced)
}

// storeOneOfEach writes, past the service, one item of each collection that curation and operators fill.
func storeOneOfEach(t *testing.T, s *service) {
	t.Helper()
	for collection, document := range oneOfEach() {
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		var id struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(text, &id); err != nil {
			t.Fatal(err)
		}
		path := fmt.Sprintf("/%s-%s/_doc/%s?refresh=true", s.prefix, collection, id.ID)
		if status, answer := enginetest.Elasticsearch(t, "PUT", path, string(text)); status != 201 {
			t.Fatalf("store in %s: %d %s", collection, status, answer)
		}
	}
	enginetest.Elasticsearch(t, "POST", "/"+s.prefix+"-*/_refresh", "")
}
