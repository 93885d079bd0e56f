package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/index/accounts"
	"agentlore/index/indextest"
	"agentlore/lore"
	"agentlore/webhook"
	"agentlore/webhook/webhooktest"
)

// A source with standing is told, at an address of the public internet, of what is new in its filters from then on, once; a source
// without is not, nor one that lost its standing or its webhook.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	var told []string
	receiver := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		told = append(told, string(body))
	}))
	defer receiver.Close()
	port := receiver.Listener.Addr().(*net.TCPAddr).Port
	s := serve(t, enginetest.Prefix(t), fmt.Sprintf("--webhook-ports=8443,%d", port))
	a, newcomer := s.register(t, "has-standing"), s.register(t, "newcomer")
	lever(t, s.prefix, "vouch", a.id, "--why=known")
	curateOnce(t, s.prefix)
	set := func(a agent, body map[string]any) answer {
		return s.send(t, "PUT", "/intake/webhook", body, a.bearer()...)
	}
	for _, address := range []string{"http://example.com/", "https://user:secret@example.com/", "ftp://example.com", "https://", "//example.com", "example"} {
		wantProblem(t, set(a, map[string]any{"url": address}), 422, "invalid_field", "/url")
	}
	for _, host := range []string{"127.0.0.1", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]", "localhost:8443", "2130706433"} { // never dialled
		got := wantProblem(t, set(a, map[string]any{"url": "https://" + host + "/x"}), 422, "invalid_field", "/url")
		if len(got.Errors) == 1 && got.Errors[0].Code != "not_public" {
			t.Errorf("%s: %+v", host, got.Errors)
		}
	}
	for _, port := range []string{"80", "22", "9200", "0", "65536"} {
		got := wantProblem(t, set(a, map[string]any{"url": "https://example.com:" + port + "/"}), 422, "invalid_field", "/url")
		if len(got.Errors) == 1 && got.Errors[0].Code != "not_allowed" {
			t.Errorf("port %s: %+v", port, got.Errors)
		}
	}
	wantProblem(t, set(newcomer, map[string]any{"url": "https://example.com/"}), 403, "no_standing")
	if got := string(s.get(t, "/intake/webhook", a.bearer()...).want(t, 200).body); !strings.Contains(got, `"status":"none"`) {
		t.Errorf("before it is set: %s", got)
	}
	wantProblem(t, s.send(t, "PUT", "/intake/webhook", map[string]any{"url": "https://example.com/"}), 401, "missing_token")

	storedUnit(t, s.prefix, 1, func(*lore.KnowledgeUnit) {}) // made before: no news
	type view struct {
		URL, Secret, Status, Ecosystem string
		SentAt                         time.Time `json:"sent_at"`
	}
	made := decode[view](t, set(a, map[string]any{"url": strings.Replace(receiver.URL, "127.0.0.1", "example.com", 1) + "/hook", "ecosystem": "SOL"}).want(t, 200))
	if !strings.HasPrefix(made.Secret, "whsec_") || made.Status != "active" || made.Ecosystem != "solana" {
		t.Errorf("set: %+v", made)
	}
	if got := decode[view](t, s.get(t, "/intake/webhook", a.bearer()...).want(t, 200)); got.Secret != "" || got.URL != made.URL {
		t.Errorf("read: %+v", got)
	}
	unit := storedUnit(t, s.prefix, -1, func(u *lore.KnowledgeUnit) { u.Ecosystem = []string{"solana"} })
	storedUnit(t, s.prefix, -1, func(*lore.KnowledgeUnit) {}) // of another ecosystem

	client := indextest.Open(t, s.prefix, enginetest.ElasticsearchURL(t))
	kept, err := accounts.Open(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(receiver.Certificate())
	options := webhook.Options{
		Ports: webhook.Ports{uint16(port)}, Allowed: func(netip.Addr) bool { return true }, TLS: &tls.Config{RootCAs: roots},
		Resolver: webhooktest.Resolver(t, func() [4]byte { return [4]byte{127, 0, 0, 1} }),
	}
	round := func() {
		t.Helper()
		d := webhook.New(newUnitFeed(client, "https://lore.example"), newHooks(client, kept), slog.New(slog.DiscardHandler), options)
		if err := d.Round(t.Context(), time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		d.Wait()
	}
	round()
	round() // as by another process: nothing is sent again
	if len(told) != 1 || !strings.Contains(told[0], unit.ID) || strings.Count(told[0], `"title"`) != 1 || !strings.Contains(told[0], `"url":"https://lore.example/knowledge/`) {
		t.Fatalf("told %d times: %s", len(told), told)
	}
	if got := decode[view](t, s.get(t, "/intake/webhook", a.bearer()...).want(t, 200)); got.SentAt.IsZero() {
		t.Errorf("after a delivery: %+v", got)
	}
	next := func() {
		storedUnit(t, s.prefix, -2, func(u *lore.KnowledgeUnit) { u.Ecosystem = []string{"solana"} })
	}
	next()
	lever(t, s.prefix, "unvouch", a.id, "--why=no longer")
	curateOnce(t, s.prefix)
	if round(); len(told) != 1 {
		t.Errorf("without standing it is told %s", told[1:])
	}
	lever(t, s.prefix, "vouch", a.id, "--why=known")
	curateOnce(t, s.prefix)
	s.send(t, "DELETE", "/intake/webhook", nil, a.bearer()...).want(t, 200)
	if round(); len(told) != 1 {
		t.Errorf("without a webhook it is told %s", told[1:])
	}
}
