package handlers

import (
	"html/template"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"agentlore/lore"
)

// get asks the router for a path.
func get(t *testing.T, router http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	answer := httptest.NewRecorder()
	router.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
	if answer.Code != http.StatusOK {
		t.Fatalf("GET %s: status %d", path, answer.Code)
	}
	return answer
}

// The page shows every operation with what goes in and out, and loads nothing but its own style.
func TestDocsPage(t *testing.T) {
	router := newRouter(t)
	answer := get(t, router, "/docs")
	html := answer.Body.String()
	for path, item := range describedBy(t, router) {
		if !strings.Contains(html, path) {
			t.Errorf("the page doesn't name %s", path)
		}
		for _, described := range item {
			purpose := described.(map[string]any)["summary"].(string)
			isOperation := described.(map[string]any)["tags"].([]any)[0] != documentsTag
			if isOperation && !strings.Contains(html, "<p>"+template.HTMLEscapeString(purpose)+".</p>") {
				t.Errorf("the page doesn't show %s", path)
			}
		}
	}
	for _, shown := range []string{"usefulness_score", "Idempotency-Key", "snippet", "maxItems", "insight", "idempotency_mismatch"} {
		if !strings.Contains(html, shown) {
			t.Errorf("the page doesn't show %q", shown)
		}
	}
	policy := answer.Header().Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "script-src") {
		t.Errorf("the page's policy is %q", policy)
	}
	if strings.Contains(html, "<script") || strings.Contains(html, " style=") || regexp.MustCompile(`\son\w+=`).MatchString(html) {
		t.Error("the page has a script or a style inside, which its policy forbids")
	}
	for _, link := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		if fragment, isFragment := strings.CutPrefix(link[1], "#"); isFragment {
			if !strings.Contains(html, `id="`+fragment+`"`) {
				t.Errorf("#%s leads nowhere", fragment)
			}
			continue
		}
		if !strings.HasPrefix(link[1], "/") || strings.HasPrefix(link[1], "//") {
			t.Errorf("the page refers to %q, outside of this service", link[1])
			continue
		}
		if link[1] != "/" {
			get(t, router, link[1])
		}
	}
	if style := get(t, router, "/docs/style.css").Body.String(); strings.Contains(style, "url(") || strings.Contains(style, "@import") {
		t.Error("the style loads something")
	}
}

// Whoever reads /llms-full.txt has read what llms.txt, the skill and the pages for authors of agents say, in one request that fits a model's
// context. The skill, which is installed as a file too, names every category.
func TestTheFullDocument(t *testing.T) {
	router := newRouter(t)
	text := get(t, router, "/llms-full.txt").Body.String()
	for _, part := range []string{
		get(t, router, "/llms.txt").Body.String(), get(t, router, "/skill.md").Body.String(), "# For authors of agents", "# The HTTP interface",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("it lacks %.60q", part)
		}
	}
	if len(text) > 64<<10 || regexp.MustCompile(`\]\([^/):][^):]*\.md`).MatchString(text) {
		t.Errorf("%d bytes, or a link to a file", len(text))
	}
	var categories []string
	for _, category := range lore.Categories() {
		categories = append(categories, string(category.Value))
	}
	if named := "Categories: " + strings.Join(categories, ", ") + "."; !strings.Contains(text, named) {
		t.Errorf("the skill doesn't say %q", named)
	}
}
