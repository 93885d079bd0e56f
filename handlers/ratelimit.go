package handlers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"
	"github.com/ulule/limiter/v3"

	"agentlore/handlers/admit"
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

// siteAllowance is how many times the allowance of an IPv6 client (/64) its site (/48) has. A site has 65,536 such networks to choose
// from: counted by them alone, it would hardly be limited. Sixteen are more clients than most sites have at work at once.
const siteAllowance = 16

// counted is what a limit said of a request.
type counted struct {
	class rateClass
	limiter.Context
}

// count counts a request of a class for its client and tells the answer's headers where that stands. It reports whether the
// request is within the limit. A request that is made for another one of the same class is counted already, with that.
// Headers follow the IETF draft "RateLimit header fields for HTTP" and the older X-RateLimit form. A store that can't count lets
// everything pass: limits protect the service, they must not stop it.
func (s *server) count(c *gin.Context, class rateClass) bool {
	counter, known := s.limits[class], requestOf(c.Request.Context())
	if counter == nil {
		return true
	}
	if known.counted == nil || known.counted.class != class {
		count, err := countAll(c.Request.Context(), counter, class, admit.Networks(known.client))
		if err != nil {
			return true
		}
		known.counted = &counted{class, count}
	}
	count, now, window := known.counted, time.Now(), int(counter.Rate.Period.Seconds())
	left := secondsLeft(count.Reset, now, window)
	name := strconv.Quote(string(class))
	header := c.Writer.Header()
	header.Set("RateLimit-Policy", fmt.Sprintf("%s;q=%d;w=%d", name, counter.Rate.Limit, window))
	header.Set("RateLimit", name+";r="+strconv.FormatInt(count.Remaining, 10)+";t="+strconv.Itoa(left))
	header.Set("X-RateLimit-Limit", strconv.FormatInt(counter.Rate.Limit, 10))
	header.Set("X-RateLimit-Remaining", strconv.FormatInt(count.Remaining, 10))
	header.Set("X-RateLimit-Reset", strconv.FormatInt(now.Unix()+int64(left), 10))
	return !count.Reached
}

// countAll counts a request for each network of its client, and returns what the one that has the least left said.
func countAll(ctx context.Context, counter *limiter.Limiter, class rateClass, networks []netip.Prefix) (least limiter.Context, err error) {
	rate := counter.Rate
	for i, network := range networks {
		key := network.String()
		if network.IsSingleIP() {
			key = network.Addr().String()
		}
		count, err := counter.Store.Get(ctx, string(class)+":"+key, rate)
		if err != nil {
			return least, err
		}
		if i == 0 || count.Reached || count.Remaining < least.Remaining {
			least = count
		}
		if count.Reached { // what is refused takes nothing of the site's allowance
			break
		}
		rate.Limit *= siteAllowance
	}
	return least, nil
}

// limit refuses what is beyond the limit of a class.
func (s *server) limit(class rateClass) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if c := humagin.Unwrap(ctx); !s.count(c, class) {
			s.refuseCounted(c)
			return
		}
		next(ctx)
	}
}

// refuseCounted answers a request that is beyond its limit.
func (s *server) refuseCounted(c *gin.Context) {
	count := requestOf(c.Request.Context()).counted
	left := secondsLeft(count.Reset, time.Now(), int(s.limits[count.class].Rate.Period.Seconds()))
	s.writeProblem(c, &lore.Problem{
		Code:       lore.CodeRateLimited,
		Detail:     "too many requests of class " + string(count.class) + " from your address; wait for the seconds in Retry-After",
		RetryAfter: time.Duration(left) * time.Second,
	})
}

// secondsLeft returns after how many whole seconds a window of so many seconds is over for certain. The counter gives its end
// with the fraction of the second cut off: who waited no longer would come too early.
func secondsLeft(reset int64, now time.Time, window int) int {
	left := time.Unix(reset+1, 0).Sub(now)
	return min(max(int(math.Ceil(left.Seconds())), 1), window)
}
