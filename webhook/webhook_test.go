package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agentlore/lore"
)

// memory is a feed and its subscribers.
type memory struct {
	mu          sync.Mutex
	items       []Item
	subscribers map[string]lore.Subscriber
	read        int // how often subscribers were read
}

func (m *memory) Newest(context.Context, time.Time) (lore.Position, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.items) == 0 {
		return lore.Position{}, nil
	}
	return m.items[len(m.items)-1].Position, nil
}

func (m *memory) After(_ context.Context, _ lore.Webhook, after lore.Position, _ time.Time, limit int) (found []Item, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, item := range m.items {
		if item.CreatedAt.After(after.CreatedAt) && len(found) < limit {
			found = append(found, item)
		}
	}
	return found, nil
}

func (m *memory) Subscribers(context.Context) (all []lore.Subscriber, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read++
	for _, one := range m.subscribers {
		if one.Active {
			all = append(all, one)
		}
	}
	return all, nil
}

func (m *memory) NoteDelivery(_ context.Context, to lore.Subscriber, change func(*lore.Hook)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	one := m.subscribers[to.Account]
	change(&one.Hook)
	m.subscribers[to.Account] = one
	return nil
}

func (m *memory) Standing(context.Context) (map[string]bool, error) {
	return map[string]bool{"trusted": true}, nil
}

func (m *memory) hook(account string) lore.Hook {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.subscribers[account].Hook
}

var longAgo = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// remembering returns a feed of some items whose subscribers have these addresses as accounts and addresses.
func remembering(items int, addresses ...string) *memory {
	m := &memory{subscribers: map[string]lore.Subscriber{}}
	m.add(items)
	for _, address := range addresses {
		m.subscribers[address] = lore.Subscriber{Account: address, SourceID: address, Principal: "trusted", Hook: lore.Hook{
			Webhook: lore.Webhook{URL: address}, Secret: NewSecret(), Active: true, Sent: lore.Position{CreatedAt: longAgo},
		}}
	}
	return m
}

func (m *memory) add(items int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for range items {
		at := longAgo.Add(time.Duration(len(m.items)+1) * time.Minute)
		m.items = append(m.items, Item{lore.Position{CreatedAt: at, ID: fmt.Sprint("item ", len(m.items))}, json.RawMessage(`{"title": "x"}`)})
	}
}

// receiver starts a receiver with TLS, and returns the options that reach it by loopback.
func receiver(t *testing.T, handler http.HandlerFunc) (*httptest.Server, Options) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return server, Options{Ports: Ports{portOf(t, server)}, Allowed: func(netip.Addr) bool { return true }, TLS: &tls.Config{RootCAs: roots}}
}

func portOf(t *testing.T, server *httptest.Server) uint16 {
	t.Helper()
	address, err := netip.ParseAddrPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return address.Port()
}

// round has a deliverer do one round at a time, to its end.
func round(t *testing.T, d *Deliverer, at time.Time) {
	t.Helper()
	d.now = func() time.Time { return at }
	if err := d.Round(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	d.Wait()
}

func TestAddresses(t *testing.T) {
	for address, want := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "172.32.0.1": true, "100.128.0.1": true, "2606:4700::1111": true, "2a00:1450::1": true, "::ffff:8.8.8.8": true,
		"0.0.0.0": false, "10.1.2.3": false, "127.0.0.1": false, "127.255.0.9": false, "172.16.0.1": false, "192.168.1.1": false, "100.64.0.1": false,
		"169.254.169.254": false, "169.254.170.2": false, "100.100.100.200": false, "168.63.129.16": false, "192.0.0.192": false, // metadata of clouds
		"224.0.0.1": false, "239.1.1.1": false, "255.255.255.255": false, "198.18.0.1": false,
		"::": false, "::1": false, "fe80::1": false, "fe80::1%eth0": false, "fc00::1": false, "fd00:ec2::254": false, "ff02::1": false, "fec0::1": false,
		"::ffff:127.0.0.1": false, "::ffff:169.254.169.254": false, "::ffff:10.0.0.1": false, "::127.0.0.1": false,
		"64:ff9b::7f00:1": false, "64:ff9b:1::1": false, "2002:7f00:1::": false, "2001:0:7f00:1::": false, "2001:db8::1": false,
	} {
		if got := Public(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: public %v, want %v", address, got, want)
		}
		if got := MayReach(address); got != want {
			t.Errorf("%s: as a host %v, want %v", address, got, want)
		}
	}
	for host, want := range map[string]bool{
		"agent.example": true, "Agent.Example.": true, "1.agent.example": true, "localhost.example": true, "8.8.8.8.": true,
		"localhost": false, "LOCALHOST.": false, "x.localhost": false, "127.0.0.1.": false, "2130706433": false, "127.1": false,
		"0x7f000001": false, "0177.0.0.1": false, "127.0.0.08": false, "": false, ".": false,
	} {
		if got := MayReach(host); got != want {
			t.Errorf("%s: as a host %v, want %v", host, got, want)
		}
	}
}

// A message is signed as Standard Webhooks has it, and sent once; its receiver's long answer isn't read.
func TestMessages(t *testing.T) {
	type got struct {
		header http.Header
		body   []byte
	}
	var taken []got
	var answered atomic.Int64
	server, options := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		taken = append(taken, got{r.Header, body})
		for range 1 << 20 { // 4 GB, if it is read
			if _, err := w.Write(make([]byte, 4<<10)); err != nil {
				return
			}
			answered.Add(4 << 10)
		}
	})
	m := remembering(12, server.URL)
	d := New(m, m, slog.New(slog.DiscardHandler), options)
	now := longAgo.Add(24 * time.Hour)
	for i := range 4 {
		round(t, d, now.Add(time.Duration(i)*time.Second))
	}
	if len(taken) != 2 || m.hook(server.URL).Sent.ID != "item 11" || m.hook(server.URL).Failures > 0 || m.read != 2 { // nothing new: nobody is looked up
		t.Fatalf("%d messages, %+v, read %d times", len(taken), m.hook(server.URL), m.read)
	}
	if answered.Load() > 64<<20 { // some MB wait in the kernel's buffers
		t.Errorf("%d bytes of the answers were taken", answered.Load())
	}
	var message struct {
		Type string `json:"type"`
		Data struct {
			Items []any `json:"items"`
		} `json:"data"`
	}
	if err := json.Unmarshal(taken[0].body, &message); err != nil || message.Type != "feed.items" || len(message.Data.Items) != 10 {
		t.Errorf("%v: %s", err, taken[0].body)
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.hook(server.URL).Secret, "whsec_"))
	if err != nil || len(key) < 24 || len(key) > 64 {
		t.Fatalf("a key of %d bytes: %v", len(key), err)
	}
	header := taken[0].header
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", header.Get("webhook-id"), header.Get("webhook-timestamp"), taken[0].body)
	if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); header.Get("webhook-signature") != want || header.Get("webhook-timestamp") != fmt.Sprint(now.Unix()) {
		t.Errorf("signed %v, want %s", header, want)
	}
	if taken[0].header.Get("webhook-id") == taken[1].header.Get("webhook-id") {
		t.Error("two messages have one id")
	}
}

// The example of the specification's libraries: github.com/standard-webhooks/standard-webhooks/blob/main/libraries/go/webhook_test.go.
func TestSignatureIsTheSpecifications(t *testing.T) {
	got, err := sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}

// A failure is tried again with growing pauses, the same message under the same id, and ends the webhook at last; 410 does so at once.
func TestFailures(t *testing.T) {
	var ids []string
	status := http.StatusInternalServerError
	server, options := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		ids = append(ids, r.Header.Get("webhook-id"))
		w.WriteHeader(status)
	})
	m := remembering(1, server.URL)
	d := New(m, m, slog.New(slog.DiscardHandler), options)
	now := longAgo.Add(24 * time.Hour)
	for tries, pause := range append(slices.Clone(retries), 0) {
		round(t, d, now)
		round(t, d, now.Add(pause-time.Second)) // too early
		m.add(1)                                // what is new meanwhile is another message
		if hook := m.hook(server.URL); len(ids) != tries+1 || ids[tries] != ids[0] || hook.LastError != lore.HookRefused || hook.Active != (tries < len(retries)) {
			t.Fatalf("try %d: %d came, %+v", tries, len(ids), hook)
		}
		now = now.Add(pause)
	}
	round(t, d, now.Add(1000*time.Hour))
	if len(ids) != len(retries)+1 {
		t.Errorf("%d tries", len(ids))
	}

	status = http.StatusGone
	gone := remembering(1, server.URL)
	round(t, New(gone, gone, slog.New(slog.DiscardHandler), options), now)
	if hook := gone.hook(server.URL); hook.Active || hook.LastError != lore.HookGone {
		t.Errorf("after 410 it is %+v", hook)
	}
}
