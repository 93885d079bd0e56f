package agentlore_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// module is the path that our own packages begin with.
const module = "agentlore"

// rule says what a package may import, and why no more.
type rule struct {
	ours   []string // our packages; "*": all
	others []string // modules of others, by the beginning of their path; "*": all
	why    string
}

// rules is the layout of the design's part 1. A new package gets a line here: where it stands is a decision, not an accident.
// A line for "a/..." holds for all below it that have none of their own. Test files are free.
var rules = map[string]rule{
	"lore": {others: []string{"github.com/google/uuid", "golang.org/x/text", "go.mau.fi/util/confusable"},
		why: "the domain does no I/O and knows nobody, so that every other package can speak in its types"},
	"terms": {why: "how text is taken apart knows nothing of what the text is, so that search and curation can share it"},
	"scrubber": {others: []string{"golang.org/x/text"},
		why: "what removes secrets must be readable and testable alone, and can leak nowhere that it doesn't know"},
	"mappings": {why: "mappings are JSON and what puts it together"},
	"curator": {ours: []string{"lore", "terms", "scrubber"}, others: []string{"golang.org/x/text"},
		why: "curation is rules on the domain's types; what it needs of storage it names as small interfaces of its own; the scrubber knows " +
			"which fields hold free text, and x/text takes accents and styled letters off hostile text"},
	"curator/...": {ours: []string{"lore", "curator"}, others: []string{"github.com/hashicorp/golang-lru/v2", "golang.org/x/sync/errgroup"},
		why: "as for curator"},
	"catalog": {ours: []string{"lore", "terms"},
		why: "a question about assets is answered from assets that are given, without I/O"},
	"ask": {ours: []string{"lore", "terms", "catalog"},
		why: "a paste is read and an answer judged without I/O"},
	"reference": {ours: []string{"lore"}, others: []string{"github.com/goccy/go-yaml"},
		why: "the library of known problems is embedded files, which import alone reads"},
	"matcher": {ours: []string{"lore", "terms"},
		why: "what finds names in a text is made of units, wherever these are from"},
	"knowledge": {ours: []string{"lore", "matcher", "curator", "catalog"},
		why: "what follows the stored knowledge knows its store as an interface; of the curator it takes what fixes ask for"},
	"tokens": {ours: []string{"lore"},
		why: "a token's verifier asks Redis and the accounts through interfaces of its own"},
	"cache": {others: []string{"github.com/redis/go-redis", "github.com/sony/gobreaker/v2", "github.com/ulule/limiter/v3", "go.opentelemetry.io/otel/trace"},
		why: "the one package that knows Redis knows nothing of what it keeps there"},
	"index": {ours: []string{"lore", "mappings", "scrubber", "terms"},
		others: []string{"github.com/elastic/go-elasticsearch/v8", "github.com/elastic/elastic-transport-go/v8", "go.opentelemetry.io/otel", "github.com/go-json-experiment/json"},
		why:    "the one package that knows Elasticsearch; of the scrubber it takes the type of scrubbed values, so that storing raw text doesn't compile"},
	"index/search": {ours: []string{"lore", "terms", "scrubber", "index", "embed"},
		others: []string{"github.com/elastic/go-elasticsearch/v8/esapi", "github.com/go-json-experiment/json", "github.com/hashicorp/golang-lru/v2"},
		why:    "search reads the indices through index's client alone, and nothing that writes knows how a query is ranked"},
	"embed": {others: []string{"github.com/hashicorp/golang-lru/v2", "github.com/sony/gobreaker/v2"},
		why: "the one package that asks an embeddings server knows nothing of what the vectors are for"},
	"index/semantic": {ours: []string{"lore", "index", "embed"}, others: []string{"github.com/elastic/go-elasticsearch/v8/esapi"},
		why: "what fills in vectors reads and writes through index's client, and knows nothing of how a search ranks"},
	"index/accounts": {ours: []string{"lore", "scrubber", "index"},
		others: []string{"github.com/elastic/go-elasticsearch/v8/esapi"},
		why:    "who is behind a name is kept apart from what is said, in an index that readers never reach"},
	"index/migrate": {ours: []string{"lore", "mappings", "index", "index/accounts"},
		others: []string{"github.com/elastic/go-elasticsearch/v8/esapi"},
		why:    "a migration moves any index; of the accounts it knows how those of earlier versions are converted"},
	"index/curation": {ours: []string{"lore", "scrubber", "index", "index/accounts"},
		others: []string{"github.com/elastic/go-elasticsearch/v8/esapi"},
		why:    "what the curator and operators write is built on index's client, and knows nothing of how a search ranks"},
	"index/indextest": {ours: []string{"lore", "scrubber", "enginetest", "index"},
		why: "tests of what is built on index need a store, made in one place"},
	"webhook": {ours: []string{"lore"},
		why: "what sends requests to addresses that others chose knows the items and the subscribers as interfaces alone"},
	"webhook/webhooktest": {why: "tests of webhooks need names that lead to this machine, and nothing of ours"},
	"exporter": {ours: []string{"lore"},
		why: "an export reads through the interfaces that HTTP reads through, so that nothing private can be in it"},
	"handlers": {ours: []string{"lore", "scrubber", "curator", "exporter", "ask", "catalog", "knowledge", "matcher", "docs", "plugin", "handlers/admit", "handlers/mcp", "handlers/page"},
		others: []string{"github.com/gin-gonic/gin", "github.com/danielgtaylor/huma/v2", "github.com/ulule/limiter/v3", "github.com/google/uuid", "github.com/go-json-experiment/json",
			"golang.org/x/sync/errgroup"},
		why: "HTTP knows stores and tokens as interfaces where it uses them, never Elasticsearch or Redis themselves"},
	"handlers/admit": {
		why: "who is served when is decided on addresses, bytes and time alone, for the listener as for the handlers"},
	"handlers/local": {why: "it knows HTTP alone"},
	"handlers/mcp": {ours: []string{"handlers/local"}, others: []string{"github.com/modelcontextprotocol/go-sdk", "github.com/go-json-experiment/json"},
		why: "MCP calls the HTTP interface as a client does, so that it can have no rules of its own"},
	"handlers/page": {ours: []string{"lore", "ask", "handlers/local"}, others: []string{"github.com/klauspost/compress/gzhttp"},
		why: "the page asks the HTTP interface as a client does, so that no query, limit or error is written twice"},
	"handlers/...": {ours: []string{"lore", "scrubber", "curator", "handlers"}, others: []string{"*"}, why: "as for handlers"},
	"telemetry": {others: []string{"github.com/prometheus/client_golang", "go.opentelemetry.io", "google.golang.org/protobuf", "github.com/gin-gonic/gin"},
		why: "metrics and traces know none of what they count: others report by interfaces of their own, and cmd ties them together"},
	"importer": {ours: []string{"lore", "scrubber"}, others: []string{"golang.org/x/sync/semaphore", "github.com/go-json-experiment/json"},
		why: "an import takes the same validation, scrubber and writer as HTTP, as interfaces that cmd fills"},
	"tracker": {ours: []string{"lore"}, others: []string{"github.com/go-json-experiment/json", "github.com/goccy/go-yaml", "golang.org/x/net/html"},
		why: "what a thread says is read and judged on texts alone: no import may store what it didn't choose"},
	"docs":   {why: "documents are text"},
	"plugin": {why: "what is installed elsewhere is files"},
	"client": {ours: []string{"ask", "scrubber"},
		others: []string{"github.com/alecthomas/kong", "github.com/modelcontextprotocol/go-sdk", "golang.org/x/term"},
		why:    "the client knows a service by its interface alone, so that a small binary can be made of it; what must not be public stays where it is"},
	"client/export": {ours: []string{"client", "exporter", "lore"}, others: []string{"github.com/parquet-go/parquet-go"},
		why: "Parquet's library is too large for the service and for agents' machines, so only the analyst's command has it"},
	"cmd/...": {ours: []string{"*"}, others: []string{"*"},
		why: "wires everything together"},
	"scripts/...": {ours: []string{"*"}, others: []string{"*"},
		why: "programs for maintainers"},
	"enginetest": {others: []string{"github.com/redis/go-redis/v9"},
		why: "tests look at the engine past the code under test"},
}

// bans hold beyond the lists above, each with those who are exempt.
var bans = []struct {
	path   string // an import path, or its beginning
	exempt []string
	why    string
}{
	{module + "/index", []string{"cmd/...", "scripts/...", "index/..."}, "only cmd knows how things are stored: everybody else has an interface, which a test can fill"},
	{module + "/handlers", []string{"cmd/...", "scripts/...", "handlers/..."}, "nothing below HTTP may know HTTP"},
	{module + "/cmd", nil, "cmd holds no rules that others could need"},
	{"github.com/elastic/go-elasticsearch", []string{"index/...", "scripts/..."}, "queries are built in one place, where mappings are known"},
	{"github.com/redis/go-redis", []string{"cache", "enginetest", "scripts/..."}, "Redis stands behind one breaker"},
	{"testing", []string{"enginetest", "index/indextest", "webhook/webhooktest", "scripts/..."}, "test helpers don't go into the program"},
	{module + "/webhook/webhooktest", nil, "test helpers don't go into the program"},
	{module + "/index/indextest", nil, "test helpers don't go into the program"},
	{module + "/enginetest", []string{"index/indextest"}, "test helpers don't go into the program"},
	{module + "/client/export", []string{"cmd/agentlore-client"}, "Parquet's library would make the service 6 MB larger"},
	{"unsafe", nil, "nothing here is worth it"},
	{"log", []string{"scripts/..."}, "the log is log/slog's, by the logger that cmd made"},
}

// environmentReaders may read the environment: everybody else gets a configuration.
var environmentReaders = []string{"cmd/...", "enginetest", "index/indextest", "scripts/..."}

// sourceFile is one Go file that goes into a program.
type sourceFile struct {
	path   string // from the root
	folder string
	syntax *ast.File
}

// sourceFiles parses every Go file of this module but tests.
func sourceFiles(t *testing.T) []sourceFile {
	t.Helper()
	var found []sourceFile
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			hidden := strings.HasPrefix(entry.Name(), ".") && path != "."
			if hidden || entry.Name() == "testdata" || isModule(path) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		found = append(found, sourceFile{path, filepath.ToSlash(filepath.Dir(path)), syntax})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// isModule reports whether a folder is another module's root.
func isModule(path string) bool {
	found, err := filepath.Glob(filepath.Join(path, "go.mod"))
	return path != "." && err == nil && len(found) > 0
}

// ruleOf returns the rule of a folder: its own, or the nearest "..." above it.
func ruleOf(folder string) (rule, bool) {
	if own, found := rules[folder]; found {
		return own, true
	}
	for parent := folder; parent != "."; parent = filepath.ToSlash(filepath.Dir(parent)) {
		if above, found := rules[parent+"/..."]; found {
			return above, true
		}
	}
	return rule{}, false
}

// listed reports whether a folder is in a list, whose "a/..." stands for a and all below it.
func listed(list []string, folder string) bool {
	for _, entry := range list {
		below, wide := strings.CutSuffix(entry, "/...")
		if entry == folder || entry == "*" || wide && (folder == below || strings.HasPrefix(folder, below+"/")) {
			return true
		}
	}
	return false
}

// beginsWith reports whether an import path is one of a list or lies below it.
func beginsWith(list []string, path string) bool {
	for _, entry := range list {
		if entry == "*" || path == entry || strings.HasPrefix(path, entry+"/") {
			return true
		}
	}
	return false
}

func TestImportRules(t *testing.T) {
	files := sourceFiles(t)
	if len(files) < 50 {
		t.Fatalf("only %d files: are these all?", len(files))
	}
	for _, file := range files {
		if file.folder == "." {
			continue
		}
		allowed, found := ruleOf(file.folder)
		if !found {
			t.Errorf("package %s has no rule: add a line to rules in imports_test.go that says what it may import, and why no more", file.folder)
			continue
		}
		for _, spec := range file.syntax.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			ours, isOurs := strings.CutPrefix(path, module+"/")
			isOthers := !isOurs && strings.Contains(strings.SplitN(path, "/", 2)[0], ".")
			if isOurs && !listed(allowed.ours, ours) || isOthers && !beginsWith(allowed.others, path) {
				t.Errorf("%s imports %s; %s may not: %s", file.path, path, file.folder, allowed.why)
			}
			for _, ban := range bans {
				if beginsWith([]string{ban.path}, path) && !listed(ban.exempt, file.folder) && !(ban.path == "log" && path != "log") && !(ban.path == "testing" && path != "testing") {
					t.Errorf("%s imports %s: %s", file.path, path, ban.why)
				}
			}
		}
	}
}

// Configuration is read in one place, so that `serve --help` shows all there is.
func TestOnlyCmdReadsTheEnvironment(t *testing.T) {
	readers := map[string]bool{"Getenv": true, "LookupEnv": true, "Environ": true, "ExpandEnv": true}
	for _, file := range sourceFiles(t) {
		if listed(environmentReaders, file.folder) {
			continue
		}
		ast.Inspect(file.syntax, func(node ast.Node) bool {
			selector, ok := node.(*ast.SelectorExpr)
			if !ok || !readers[selector.Sel.Name] {
				return true
			}
			if from, ok := selector.X.(*ast.Ident); ok && (from.Name == "os" || from.Name == "syscall") {
				t.Errorf("%s reads the environment by %s.%s: only cmd does, everybody else gets a configuration", file.path, from.Name, selector.Sel.Name)
			}
			return true
		})
	}
}

// A line for a package that is gone, or was never there, hides what it is about.
func TestRulesAreOfPackagesThatExist(t *testing.T) {
	folders := map[string]bool{}
	for _, file := range sourceFiles(t) {
		folders[file.folder] = true
	}
	planned := []string{"curator"} // named by the design, not built yet
	for name := range rules {
		own, wide := strings.CutSuffix(name, "/...")
		if !wide && !folders[own] && !listed(planned, own) {
			t.Errorf("rules has a line for %s, which doesn't exist", name)
		}
	}
}
