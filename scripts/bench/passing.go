package main

import (
	"io"
	"net"
	"net/http"
	"time"

	"github.com/ulule/limiter/v3"

	"agentlore/cache"
)

// passer is the least that anybody between a caller and Elasticsearch does who counts callers: it counts this one as the service does,
// then sends what the service would, and answers with as many bytes as a page of results has. It neither reads the question nor the
// answer. What it takes above Elasticsearch alone is below every service with such limits.
type passer struct {
	url    string
	server *http.Server
	redis  *cache.Redis
}

// pageBytes is what the service answers at most with ten results.
const pageBytes = 8 << 10

// pass starts a passer on a free port.
func (b *bench) pass(sent *replay) (*passer, error) {
	redis, err := cache.Open(cache.Config{URL: b.RedisURL, Prefix: b.Prefix + "-passer"})
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		redis.Close()
		return nil, err
	}
	p := &passer{url: "http://" + listener.Addr().String(), redis: redis}
	counter := limiter.New(redis.LimiterStore(), limiter.Rate{Period: time.Minute, Limit: 1_000_000})
	p.server = &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		caller, _, _ := net.SplitHostPort(request.RemoteAddr)
		if standing, err := counter.Get(request.Context(), caller); err != nil || standing.Reached {
			http.Error(w, "not counted", http.StatusTooManyRequests)
			return
		}
		answer, err := sent.RoundTrip(request)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		w.WriteHeader(answer.StatusCode)
		w.Write(body[:min(len(body), pageBytes)])
	})}
	go p.server.Serve(listener)
	return p, nil
}

func (p *passer) close() {
	p.server.Close()
	p.redis.Close()
}
