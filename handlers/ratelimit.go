package handlers

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/ulule/limiter/v3"

	"agentlore/lore"
)

// rateClass groups operations that share a limit.
type rateClass string

// The classes of operations.
const (
	classRegister rateClass = "register"
	classWrite    rateClass = "write"
	classRead     rateClass = "read"
	classExport   rateClass = "export"
)

// LimitOff is the value that switches a class's limit off.
const LimitOff = "off"

// Limits are requests per client address and class, in limiter's form: "120-M" is 120 a minute; LimitOff is none.
type Limits struct {
	Register string
	Write    string
	Read     string
	Export   string
}

// limiters reads the limits. It names every one that can't be read.
func (l Limits) limiters(store limiter.Store) (map[rateClass]*limiter.Limiter, error) {
	limits := map[rateClass]*limiter.Limiter{}
	var faults []error
	for _, given := range []struct {
		class rateClass
		form  string
	}{{classRegister, l.Register}, {classWrite, l.Write}, {classRead, l.Read}, {classExport, l.Export}} {
		if given.form == LimitOff {
			continue
		}
		rate, err := limiter.NewRateFromFormatted(given.form)
		if err != nil || rate.Limit < 1 {
			faults = append(faults, fmt.Errorf("rate limit of class %s must be a number and S, M, H or D, as in 120-M, or %q", given.class, LimitOff))
			continue
		}
		limits[given.class] = limiter.New(store, rate)
	}
	return limits, errors.Join(faults...)
}

// limit counts requests by client address and class and refuses what is too much. Its headers follow the IETF draft
// "RateLimit header fields for HTTP" and the older X-RateLimit form. A store that can't count lets everything pass:
// limits protect the service, they must not stop it.
func (s *server) limit(class rateClass) func(huma.Context, func(huma.Context)) {
	counter := s.limits[class]
	if counter == nil {
		return func(ctx huma.Context, next func(huma.Context)) { next(ctx) }
	}
	window := int(counter.Rate.Period.Seconds())
	name := strconv.Quote(string(class))
	policy := fmt.Sprintf("%s;q=%d;w=%d", name, counter.Rate.Limit, window)
	return func(ctx huma.Context, next func(huma.Context)) {
		c := humagin.Unwrap(ctx)
		count, err := counter.Get(ctx.Context(), string(class)+":"+clientKey(c.ClientIP()))
		if err != nil {
			next(ctx)
			return
		}
		now := time.Now()
		left := secondsLeft(count.Reset, now, window)
		seconds := strconv.Itoa(left)
		ctx.SetHeader("RateLimit-Policy", policy)
		ctx.SetHeader("RateLimit", name+";r="+strconv.FormatInt(count.Remaining, 10)+";t="+seconds)
		ctx.SetHeader("X-RateLimit-Limit", strconv.FormatInt(count.Limit, 10))
		ctx.SetHeader("X-RateLimit-Remaining", strconv.FormatInt(count.Remaining, 10))
		ctx.SetHeader("X-RateLimit-Reset", strconv.FormatInt(now.Unix()+int64(left), 10))
		if count.Reached {
			s.writeProblem(c, &lore.Problem{
				Code:       lore.CodeRateLimited,
				Detail:     "too many requests of class " + string(class) + " from your address; wait for the seconds in Retry-After",
				RetryAfter: time.Duration(left) * time.Second,
			})
			return
		}
		next(ctx)
	}
}

// secondsLeft returns after how many whole seconds a window of so many seconds is over for certain. The counter gives its end
// with the fraction of the second cut off: who waited no longer would come too early.
func secondsLeft(reset int64, now time.Time, window int) int {
	left := time.Unix(reset+1, 0).Sub(now)
	return min(max(int(math.Ceil(left.Seconds())), 1), window)
}

// clientKey returns what a client is counted by: its IPv4 address, or the /64 network of an IPv6 one, since a single
// host has all of that.
func clientKey(address string) string {
	parsed, err := netip.ParseAddr(address)
	if err != nil {
		return "unknown"
	}
	parsed = parsed.Unmap()
	if parsed.Is4() {
		return parsed.String()
	}
	network, err := parsed.WithZone("").Prefix(64)
	if err != nil {
		return "unknown"
	}
	return network.String()
}
