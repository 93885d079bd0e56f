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
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
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
	return server, Options{Allowed: func(netip.Addr) bool { return true }, TLS: &tls.Config{RootCAs: roots}}
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
		if hook := m.hook(server.URL); len(ids) != tries+1 || ids[tries] != ids[0] || hook.LastError != "answered 500" || hook.Active != (tries < len(retries)) {
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
	if gone.hook(server.URL).Active {
		t.Error("after 410 it is active")
	}
}

// A redirect is a failure: nobody asks where it leads.
func TestRedirects(t *testing.T) {
	var asked atomic.Int64
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer inside.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		server, options := receiver(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, inside.URL, status) })
		m := remembering(1, server.URL)
		round(t, New(m, m, slog.New(slog.DiscardHandler), options), longAgo.Add(24*time.Hour))
		if hook := m.hook(server.URL); hook.Failures != 1 || hook.LastError != fmt.Sprint("answered ", status) || asked.Load() > 0 {
			t.Errorf("%d: %+v, %d asked", status, hook, asked.Load())
		}
	}
}

// By default nothing that is not of the public internet is dialled, however it is written, and whatever its name led to before.
func TestPrivateAddressesAreRefused(t *testing.T) {
	var asked atomic.Int64
	server, options := receiver(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	port := server.URL[strings.LastIndexByte(server.URL, ':'):]
	options.Allowed = nil
	m := remembering(1, "https://127.0.0.1"+port, "https://localhost"+port, "https://[::ffff:127.0.0.1]"+port, "https://[::1]"+port,
		"https://0.0.0.0"+port, "https://[::]"+port, "https://2130706433"+port, "https://169.254.169.254/latest/meta-data")
	round(t, New(m, m, slog.New(slog.DiscardHandler), options), longAgo.Add(24*time.Hour))
	for address := range m.subscribers {
		if hook := m.hook(address); hook.Failures != 1 || asked.Load() > 0 || !strings.Contains(address, "2130706433") && hook.LastError != "not an address of the public internet" {
			t.Errorf("%s: %+v, asked %d times", address, hook, asked.Load())
		}
	}

	// 127.0.0.2 plays an address of the public internet.
	name := "https://example.com" + port
	options.Allowed = func(address netip.Addr) bool { return address.Unmap() == netip.MustParseAddr("127.0.0.2") }
	outside := httptest.NewUnstartedServer(server.Config.Handler)
	outside.Listener.Close()
	var err error
	if outside.Listener, err = net.Listen("tcp", "127.0.0.2"+port); err != nil {
		t.Fatal(err)
	}
	outside.TLS = server.TLS
	outside.StartTLS()
	defer outside.Close()
	var leads atomic.Pointer[[4]byte]
	leads.Store(&[4]byte{127, 0, 0, 2})
	options.Resolver = resolver(t, func() [4]byte { return *leads.Load() })
	m = remembering(1, name)
	d := New(m, m, slog.New(slog.DiscardHandler), options)
	round(t, d, longAgo.Add(24*time.Hour))
	if hook := m.hook(name); hook.Failures > 0 || asked.Load() != 1 {
		t.Fatalf("while the name leads outside: %+v, asked %d times", hook, asked.Load())
	}
	leads.Store(&[4]byte{127, 0, 0, 1})
	m.add(1)
	round(t, d, longAgo.Add(25*time.Hour))
	if hook := m.hook(name); hook.LastError != "not an address of the public internet" || asked.Load() != 1 {
		t.Errorf("when the name leads inside: %+v, asked %d times", hook, asked.Load())
	}
}

// resolver returns a resolver by which every name has one address.
func resolver(t *testing.T, address func() [4]byte) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	go func() {
		for query := make([]byte, 512); ; {
			n, from, err := server.ReadFrom(query)
			if err != nil {
				return
			}
			end := 12 + slices.Index(query[12:n], 0) + 5 // RFC 1035: header, name, type and class
			answer := slices.Concat(query[:2], []byte{0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, query[12:end])
			if query[end-3] == 1 { // type A
				to := address()
				answer[7] = 1
				answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, to[0], to[1], to[2], to[3])
			}
			_, _ = server.WriteTo(answer, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// A thousand subscribers are told by one process in bounded time and memory, and those who never answer take nobody else's turn.
func TestAThousandSubscribers(t *testing.T) {
	const all, slow = 1000, 300
	var told, most, now atomic.Int64
	stuck := make(chan struct{})
	defer close(stuck)
	server, options := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // from here on the server notices who hangs up
		if at := now.Add(1); at > most.Load() {
			most.Store(at)
		}
		defer now.Add(-1)
		if strings.HasPrefix(r.URL.Path, "/slow") {
			select {
			case <-stuck:
			case <-r.Context().Done():
			}
			return
		}
		told.Add(1)
	})
	var addresses []string
	for i := range all {
		path := "/fast"
		if i < slow {
			path = "/slow"
		}
		addresses = append(addresses, fmt.Sprintf("%s%s/%d", server.URL, path, i))
	}
	options.Timeout = 2 * time.Second
	m := remembering(1, addresses...)
	d := New(m, m, slog.New(slog.DiscardHandler), options)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	rounds := func(want int64) time.Duration {
		began := time.Now()
		for at := longAgo.Add(24 * time.Hour); told.Load() < want; at = at.Add(time.Second) {
			if err := d.Round(t.Context(), at); err != nil {
				t.Fatal(err)
			}
			if time.Since(began) > 2*time.Minute {
				t.Fatalf("%d of %d are told", told.Load(), want)
			}
			runtime.ReadMemStats(&after)
			time.Sleep(time.Millisecond)
		}
		return time.Since(began)
	}
	first := rounds(all - slow)
	d.Wait()
	m.add(1)
	second := rounds(2 * (all - slow))
	t.Logf("first all %s with %d that never answer, then %s; at most %d at once, heap %d kB more", first, slow, second, most.Load(), (int64(after.HeapInuse)-int64(before.HeapInuse))/1024)
	if most.Load() > atOnce+slowAtOnce {
		t.Errorf("%d requests at once", most.Load())
	}
	if grown := int64(after.HeapInuse) - int64(before.HeapInuse); grown > 100<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	if second > first { // who never answered waits apart
		t.Errorf("once the slow ones are known it takes %s, at first %s", second, first)
	}
}
