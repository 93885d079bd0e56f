package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
)

// exported reads a collection over HTTP.
func (s *service) exported(t *testing.T, collection lore.Collection, parameters string) string {
	t.Helper()
	got := s.get(t, "/export?collection="+string(collection)+parameters).want(t, 200)
	if media := got.header.Get("Content-Type"); media != "application/x-ndjson" {
		t.Errorf("an export is of type %q", media)
	}
	return string(got.body)
}

// exportTo runs agentlore export and returns what was written, unpacked.
func exportTo(t *testing.T, prefix string, collection lore.Collection, path string) string {
	t.Helper()
	args := append([]string{"export", "--collection=" + string(collection)}, storeFlags(t, prefix)...)
	status, stdout, stderr := run(t, append(args, path)...)
	if status != 0 {
		t.Fatalf("export %s: %s %s", collection, stdout, stderr)
	}
	text := contentOf(t, path)
	if want := fmt.Sprintf("%d lines, sha256 %s\n", strings.Count(text, "\n"), checksum(text)); stdout != want {
		t.Errorf("the export of %s says %q, the file %q", collection, stdout, want)
	}
	return text
}

// contentOf returns a file's content, unpacked if its name says that it is packed.
func contentOf(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		return unpacked(t, content)
	}
	return string(content)
}

func unpacked(t *testing.T, content []byte) string {
	t.Helper()
	reader, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func checksum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// restore imports an export into a prefix and fails unless all of it was stored.
func restore(t *testing.T, prefix string, collection lore.Collection, path string) string {
	t.Helper()
	args := append([]string{"import", "--format=export", "--collection=" + string(collection)}, storeFlags(t, prefix)...)
	status, stdout, stderr := run(t, append(args, path)...)
	if status != 0 || !strings.Contains(stdout, " 0 refused") {
		t.Fatalf("import of %s: %s %s", collection, stdout, stderr)
	}
	return stdout
}

// manyLines writes an import file of n observations of five sources, with times that many of them share.
func manyLines(t *testing.T, n int) string {
	lines := make([]map[string]any, n)
	for i := range lines {
		lines[i] = map[string]any{
			"source": fmt.Sprintf("archive %d", i%5), "summary": fmt.Sprintf("Report %d of a bridge that lags", i), "category": "failure",
			"content": strings.Repeat(fmt.Sprintf("The relayer %d stalls on eip155:%d. ", i, i%90+1), 1+i%20), "ref": fmt.Sprint("bridge/", i),
			"resolution": "Write to ops@example.org", "tags": []string{"bridge", fmt.Sprint("t", i%7)}, "ecosystem": "base", "usefulness_score": 1 + i%10,
			"created_at": time.Date(2026, 1, 1+i%40, 0, 0, i%3, i%5*1_000_000, time.UTC),
		}
	}
	return writeLines(t, lines)
}

// What leaves by HTTP or by command line is the same, and it comes back into an empty store as it was: all seven collections, by checksum.
func TestExportComesBackAsItWas(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	args := append([]string{"import", "--collection=submissions"}, storeFlags(t, s.prefix)...)
	if status, stdout, stderr := run(t, append(args, manyLines(t, 700))...); status != 0 {
		t.Fatalf("import: %s %s", stdout, stderr)
	}
	me := s.register(t, "Exporting Agent")
	s.submit(t, me, map[string]any{"summary": "<b>\u2028 & 合约 🚀", "category": "market", "content": "mail me at a.b@example.org", "tags": []string{"a&b"}})
	for collection, item := range oneOfEach() {
		s.put(t, collection, item)
	}
	leak := lore.SafetyFlag{
		ID: lore.NewID(), Target: lore.Target{Collection: lore.Submissions, ID: lore.NewID()}, Reason: lore.FlagLeak, Severity: lore.SeverityHigh,
		RaisedBy: lore.RaisedByAgentlore, Status: lore.FlagOpen, CreatedAt: time.Now().UTC().Truncate(time.Millisecond),
	}
	s.put(t, lore.SafetyFlags, leak)
	enginetest.Eventually(t, "everything is there", func() bool {
		return strings.Count(s.exported(t, lore.Submissions, ""), "\n") == 701 && strings.Count(s.exported(t, lore.Sources, ""), "\n") == 6
	})

	folder, empty := t.TempDir(), enginetest.Prefix(t)
	for _, collection := range lore.Collections() { // sources come first
		whole := s.exported(t, collection, "")
		if whole == "" || strings.Contains(whole, "owner_key") || strings.Contains(whole, leak.ID) || strings.Contains(whole, "example.org") {
			t.Errorf("the export of %s is empty or holds what nobody may read: %.300s", collection, whole)
		}
		packed := s.get(t, "/export?collection="+string(collection), "Accept-Encoding", "gzip").want(t, 200)
		if packed.header.Get("Content-Encoding") != "gzip" || unpacked(t, packed.body) != whole {
			t.Errorf("%s: the packed export is another", collection)
		}
		for _, name := range []string{".jsonl", ".jsonl.gz"} {
			if got := exportTo(t, s.prefix, collection, filepath.Join(folder, string(collection)+name)); got != whole {
				t.Errorf("%s%s: the command writes %d bytes, HTTP %d", collection, name, len(got), len(whole))
			}
		}
		said := restore(t, empty, collection, filepath.Join(folder, string(collection)+".jsonl.gz"))
		if !strings.Contains(said, fmt.Sprintf(": %d stored, 0 known already", strings.Count(whole, "\n"))) {
			t.Errorf("%s: the import says %s", collection, said)
		}
		enginetest.Elasticsearch(t, "POST", "/"+empty+"-*/_refresh", "")
		if back := exportTo(t, empty, collection, filepath.Join(folder, string(collection)+"-back.jsonl")); checksum(back) != checksum(whole) {
			t.Errorf("%s came back as another:\n%.600s\n%.600s", collection, whole, back)
		}
		if again := restore(t, empty, collection, filepath.Join(folder, string(collection)+".jsonl")); !strings.Contains(again, ": 0 stored") {
			t.Errorf("%s: imported twice, it says %s", collection, again)
		}
	}
	item := decode[map[string]any](t, s.get(t, "/submissions?limit=1&sort=oldest"))["results"].([]any)[0].(map[string]any)
	first, _, _ := strings.Cut(s.exported(t, lore.Submissions, ""), "\n")
	var line map[string]any
	if err := json.Unmarshal([]byte(first), &line); err != nil || fmt.Sprint(line) != fmt.Sprint(item) {
		t.Errorf("the first line is not what readers get: %v", line)
	}
	if got := s.exported(t, lore.Submissions, "&since=2026-02-08T00:00:00Z"); strings.Count(got, "\n") == 0 || strings.Count(got, "\n") >= 100 {
		t.Errorf("since leaves %d lines", strings.Count(got, "\n"))
	}
	// A restored name is taken, and its source is another's no more.
	other := serve(t, empty)
	wantProblem(t, other.send(t, "POST", "/intake/register", map[string]any{"name": "exporting agent", "type": "agent", "owner": "x"}), 409, "name_taken")

	wantProblem(t, s.get(t, "/export?collection=accounts"), 422, "invalid_field", "collection")
	wantProblem(t, s.get(t, "/export"), 422, "invalid_field", "collection")
	wantProblem(t, s.get(t, "/export?collection=assets&cursor="+lore.NewID()), 400, "invalid_cursor")
	orphan := filepath.Join(folder, "orphan.jsonl")
	if err := os.WriteFile(orphan, []byte(strings.Replace(first, fmt.Sprint(line["source_id"]), lore.NewID(), 1)+"\n{\"id\":1}\nno json\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"import", "--format=export", "--collection=submissions"}, storeFlags(t, empty)...)
	if _, stdout, _ := run(t, append(args, orphan)...); !strings.Contains(stdout, "import the exported sources first") || !strings.Contains(stdout, "3 refused") {
		t.Errorf("lines that can't be restored: %s", stdout)
	}
}

// An export that breaks off goes on where it was, by HTTP and by command line, and so does an import: the result is the same.
// AGENTLORE_LONG=1 does it with 100,000 submissions and measures memory.
func TestBrokenExportGoesOn(t *testing.T) {
	t.Parallel()
	n := 2500
	if os.Getenv("AGENTLORE_LONG") == "1" {
		n = 100_000
	}
	s := serve(t, enginetest.Prefix(t))
	args := append([]string{"import", "--collection=submissions"}, storeFlags(t, s.prefix)...)
	if status, stdout, stderr := run(t, append(args, manyLines(t, n))...); status != 0 {
		t.Fatalf("import: %s %s", stdout, stderr)
	}
	enginetest.Elasticsearch(t, "POST", "/"+s.prefix+"-*/_refresh", "")
	folder := t.TempDir()
	whole := exportTo(t, s.prefix, lore.Submissions, filepath.Join(folder, "whole.jsonl"))
	if got := strings.Count(whole, "\n"); got != n {
		t.Fatalf("%d lines, want %d", got, n)
	}

	t.Run("over HTTP", func(t *testing.T) {
		var got strings.Builder
		for cursor, tries := "", 0; ; tries++ {
			part := s.readSome(t, "/export?collection=submissions&cursor="+cursor, len(whole)/3)
			got.WriteString(part[:strings.LastIndexByte(part, '\n')+1])
			if checksum(got.String()) == checksum(whole) {
				break
			}
			if tries > 6 {
				t.Fatalf("after %d connections it is %d bytes, want %d", tries, got.Len(), len(whole))
			}
			text := strings.TrimSuffix(got.String(), "\n")
			var last struct{ ID string }
			if err := json.Unmarshal([]byte(text[strings.LastIndexByte(text, '\n')+1:]), &last); err != nil {
				t.Fatal(err)
			}
			cursor = last.ID
		}
	})
	for _, name := range []string{"killed.jsonl", "killed.jsonl.gz"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(folder, name)
			command := program(t, s.prefix, "export", "--collection=submissions", path)
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			enginetest.Eventually(t, "something is written", func() bool {
				info, err := os.Stat(path + ".part")
				return err == nil && info.Size() > 0 || command.ProcessState != nil
			})
			_ = command.Process.Signal(syscall.SIGKILL)
			_ = command.Wait()
			if _, err := os.Stat(path); err == nil {
				t.Log("the export was quicker than the signal")
			}
			if got := exportTo(t, s.prefix, lore.Submissions, path); checksum(got) != checksum(whole) {
				t.Errorf("what was resumed is another: %d bytes, want %d", len(got), len(whole))
			}
		})
	}
	t.Run("a torn end", func(t *testing.T) {
		path := filepath.Join(folder, "torn.jsonl.gz")
		packed, err := os.ReadFile(filepath.Join(folder, "killed.jsonl.gz"))
		if err != nil {
			t.Fatal(err)
		}
		for _, length := range []int{0, 5, len(packed) / 2, len(packed) - 1} {
			if err := os.WriteFile(path+".part", packed[:length], 0o600); err != nil {
				t.Fatal(err)
			}
			if got := exportTo(t, s.prefix, lore.Submissions, path); checksum(got) != checksum(whole) {
				t.Errorf("of %d bytes: what was resumed is another", length)
			}
		}
	})
	t.Run("import", func(t *testing.T) {
		empty := enginetest.Prefix(t)
		sources := filepath.Join(folder, "sources.jsonl")
		exportTo(t, s.prefix, lore.Sources, sources)
		restore(t, empty, lore.Sources, sources)
		path := filepath.Join(folder, "whole.jsonl")
		command := program(t, empty, "import", "--format=export", "--collection=submissions", path)
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		enginetest.Within(t, 2*time.Minute, "something is stored", func() bool {
			_, answer := enginetest.Elasticsearch(t, "GET", "/"+empty+"-submissions/_stats/indexing?filter_path=_all.primaries.indexing.index_total", "")
			var stats struct {
				All struct {
					Primaries struct {
						Indexing struct {
							Total int `json:"index_total"`
						}
					}
				} `json:"_all"`
			}
			return json.Unmarshal(answer, &stats) == nil && stats.All.Primaries.Indexing.Total > n/10
		})
		_ = command.Process.Signal(syscall.SIGKILL)
		_ = command.Wait()
		restore(t, empty, lore.Submissions, path)
		enginetest.Elasticsearch(t, "POST", "/"+empty+"-*/_refresh", "")
		if back := exportTo(t, empty, lore.Submissions, filepath.Join(folder, "back.jsonl")); checksum(back) != checksum(whole) {
			t.Errorf("what came back is another: %d bytes, want %d", len(back), len(whole))
		}
	})
	t.Run("memory", func(t *testing.T) {
		path := filepath.Join(folder, "memory.jsonl")
		peak := peakMemory(t, program(t, s.prefix, "export", "--collection=submissions", path))
		t.Logf("the export of %d lines, %d MB, took at most %d MB of memory", n, len(whole)>>20, peak)
		if peak > 120 {
			t.Errorf("an export took %d MB of memory", peak)
		}
		if n < 100_000 {
			return
		}
		empty := enginetest.Prefix(t)
		restore(t, empty, lore.Sources, filepath.Join(folder, "sources.jsonl"))
		peak = peakMemory(t, program(t, empty, "import", "--format=export", "--collection=submissions", path))
		t.Logf("its import took at most %d MB of memory", peak)
		if peak > 400 {
			t.Errorf("an import took %d MB of memory", peak)
		}
	})
}

var residentPeak = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakMemory runs a command and returns the most memory that it was resident in, in MB.
func peakMemory(t *testing.T, command *exec.Cmd) (peak int) {
	t.Helper()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			if peak == 0 {
				t.Skip("this system doesn't tell a process's memory")
			}
			return peak
		case <-ticker.C:
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", command.Process.Pid)) // it may have ended
			if found := residentPeak.FindSubmatch(status); found != nil {
				kilobytes, _ := strconv.Atoi(string(found[1]))
				peak = max(peak, kilobytes>>10)
			}
		}
	}
}

// program returns a command of this program in a process of its own.
func program(t *testing.T, prefix string, args ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], append(args, storeFlags(t, prefix)...)...)
	command.Env = append(os.Environ(), asProgram+"=1")
	return command
}

// readSome reads about so many bytes of an answer and drops the connection.
func (s *service) readSome(t *testing.T, path string, bytes int) string {
	t.Helper()
	ctx, drop := context.WithCancel(t.Context())
	defer drop()
	request, err := http.NewRequestWithContext(ctx, "GET", s.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, int64(bytes)))
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("%s: %d %v", path, response.StatusCode, err)
	}
	return string(text)
}

// A public catalog of chains is imported from a local copy.
func TestChainCatalogsAreImported(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const mainnet = `{"name":"Quokka Mainnet","chain":"QUO","rpc":["https://rpc.example"],"faucets":[],"nativeCurrency":{"name":"Quokka","symbol":"QUO","decimals":18},
		"infoURL":"https://quokka.example","shortName":"quo","chainId":990001,"networkId":990001,"parent":{"type":"L2","chain":"eip155-1","bridges":[{"url":"https://b.example"}]}}`
	const testnet = `{"name":"Quokka Testnet","chain":"QUO","rpc":[],"nativeCurrency":{"name":"Quokka","symbol":"QUO","decimals":18},"infoURL":"","shortName":"tquo","chainId":990002,"networkId":990002,"status":"deprecated"}`
	list := write("chains.json", "["+mainnet+","+testnet+"]")
	write("chains/eip155-990001.json", mainnet)
	write("chains/eip155-990002.json", testnet)
	write("registry/wombat/chain.json", `{"$schema":"../chain.schema.json","chain_name":"wombat","pretty_name":"Wombat Hub","chain_id":"wombat-1","chain_type":"cosmos","bech32_prefix":"wombat","network_type":"mainnet","status":"live","website":"https://wombat.example","description":"A hub of wombats"}`)
	write("registry/wombat/assetlist.json", `{"chain_name":"wombat","assets":[{"name":"Wombat","base":"uwom","symbol":"WOM","type_asset":"sdk.coin","description":"Its coin"},{"name":"Burrow","base":"cw20:wombat1qqqsyrqszg","symbol":"BUR","type_asset":"cw20"}]}`)
	write("registry/testnets/wombattest/chain.json", `{"chain_name":"wombattest","pretty_name":"Wombat Test","chain_id":"wombat-test-1","chain_type":"cosmos","network_type":"testnet","status":"killed"}`)
	write("registry/_IBC/wombat-x.json", `{"chain_1":{}}`)

	s := serve(t, enginetest.Prefix(t))
	load := func(format, path, want string) {
		t.Helper()
		args := append([]string{"import", "--collection=assets", "--format=" + format}, storeFlags(t, s.prefix)...)
		status, stdout, stderr := run(t, append(args, path)...)
		if status != 0 || !strings.Contains(stdout, want) {
			t.Fatalf("%s: %s %s", format, stdout, stderr)
		}
	}
	load("chains-json", list, "2 stored")
	load("chains-json", filepath.Join(folder, "chains"), "0 stored, 2 known already")
	load("chain-registry", filepath.Join(folder, "registry"), "4 stored")
	enginetest.Eventually(t, "all are listed", func() bool {
		return decode[page](t, s.get(t, "/assets?limit=10")).Total == 6
	})
	kinds := map[string]string{}
	for _, result := range decode[page](t, s.get(t, "/assets?limit=10")).Results {
		kinds[fmt.Sprint(result["name"])] = fmt.Sprintf("%v %v", result["type"], result["tags"])
	}
	want := map[string]string{
		"Quokka Mainnet": "chain [evm eip155:990001 quo l2]", "Quokka Testnet": "testnet [evm eip155:990002 tquo deprecated]",
		"Wombat Hub": "chain [cosmos wombat cosmos:wombat-1]", "Wombat Test": "testnet [cosmos cosmos:wombat-test-1 deprecated]",
		"Wombat": "token [wom sdk.coin]", "Burrow": "token [bur cw20]",
	}
	if !maps.Equal(kinds, want) {
		t.Errorf("assets are %v", kinds)
	}
	if got := s.searchFor(t, "eip155:990001"); len(got.Results) == 0 || got.Results[0]["summary"] == nil || !slices.Contains(got.Results[0]["matched_by"].([]any), any("exact")) {
		t.Errorf("a chain isn't found by its number: %v", got.Results)
	}
	for _, args := range [][]string{{"chain-registry", list}, {"chain-registry", filepath.Join(folder, "chains")}, {"chains-json", filepath.Join(folder, "registry")}, {"chains-json", filepath.Join(folder, "nothing")}} {
		line := append([]string{"import", "--collection=assets", "--format=" + args[0]}, storeFlags(t, s.prefix)...)
		if status, _, stderr := run(t, append(line, args[1])...); status == 0 || stderr == "" {
			t.Errorf("%v: status %d", args, status)
		}
	}
}
