package webhook

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentlore/lore"
	"agentlore/webhook/webhooktest"
)

// A redirect is a failure: nobody asks where it leads.
func TestRedirects(t *testing.T) {
	var asked atomic.Int64
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer inside.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		server, options := receiver(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, inside.URL, status) })
		m := remembering(1, server.URL)
		round(t, New(m, m, slog.New(slog.DiscardHandler), options), longAgo.Add(24*time.Hour))
		if hook := m.hook(server.URL); hook.Failures != 1 || hook.LastError != lore.HookRefused || asked.Load() > 0 {
			t.Errorf("%d: %+v, %d asked", status, hook, asked.Load())
		}
	}
}

// A source learns from its webhook's failures neither which ports are open nor where names lead: a closed port, one that speaks no TLS, one
// that doesn't answer and an address within are all the same to it. And no port is dialled that isn't 443 or the operator's.
func TestFailuresTellNothingOfTheNetwork(t *testing.T) {
	var asked atomic.Int64
	server, options := receiver(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	plain := httptest.NewServer(server.Config.Handler)
	defer plain.Close()
	closed := httptest.NewServer(nil)
	closed.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	options.Timeout = 200 * time.Millisecond
	addresses := []string{"https://" + plain.Listener.Addr().String(), "https://" + closed.Listener.Addr().String(), "https://" + silent.Addr().String()}
	for _, address := range addresses {
		options.Ports = append(options.Ports, netip.MustParseAddrPort(strings.TrimPrefix(address, "https://")).Port())
	}
	within := options
	within.Allowed = nil
	unlisted := options
	unlisted.Ports = nil
	for _, test := range []struct {
		options   Options
		addresses []string
	}{{options, addresses}, {within, []string{server.URL}}, {unlisted, []string{server.URL}}} {
		m := remembering(1, test.addresses...)
		round(t, New(m, m, slog.New(slog.DiscardHandler), test.options), longAgo.Add(24*time.Hour))
		for _, address := range test.addresses {
			if hook := m.hook(address); hook.Failures != 1 || hook.LastError != lore.HookNoAnswer || asked.Load() > 0 {
				t.Errorf("%s: %+v, asked %d times", address, hook, asked.Load())
			}
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
		if hook := m.hook(address); hook.Failures != 1 || asked.Load() > 0 || hook.LastError != lore.HookNoAnswer {
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
	options.Resolver = webhooktest.Resolver(t, func() [4]byte { return *leads.Load() })
	m = remembering(1, name)
	d := New(m, m, slog.New(slog.DiscardHandler), options)
	round(t, d, longAgo.Add(24*time.Hour))
	if hook := m.hook(name); hook.Failures > 0 || asked.Load() != 1 {
		t.Fatalf("while the name leads outside: %+v, asked %d times", hook, asked.Load())
	}
	leads.Store(&[4]byte{127, 0, 0, 1})
	m.add(1)
	round(t, d, longAgo.Add(25*time.Hour))
	if hook := m.hook(name); hook.LastError != lore.HookNoAnswer || asked.Load() != 1 {
		t.Errorf("when the name leads inside: %+v, asked %d times", hook, asked.Load())
	}
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
	// The receiver notices a timeout later than the sender, which has begun its next request by then. So twice as many are allowed.
	if most.Load() > 2*(atOnce+slowAtOnce) {
		t.Errorf("%d requests at once", most.Load())
	}
	if grown := int64(after.HeapInuse) - int64(before.HeapInuse); grown > 100<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	if second > first { // who never answered waits apart
		t.Errorf("once the slow ones are known it takes %s, at first %s", second, first)
	}
}
