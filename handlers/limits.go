package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"time"

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

// Limits are requests per client address and class, in limiter's form: "120-M" is 120 a minute; LimitOff is none. They are flags of a
// command that serves.
type Limits struct {
	Register string `env:"AGENTLORE_RATE_REGISTER" default:"20-H" help:"Registrations per client address: a number and S, M, H or D, or off."`
	Write    string `env:"AGENTLORE_RATE_WRITE" default:"120-M" help:"Writes per client address."`
	Read     string `env:"AGENTLORE_RATE_READ" default:"1200-M" help:"Reads per client address."`
	Export   string `env:"AGENTLORE_RATE_EXPORT" default:"10-M" help:"Exports per client address."`
}

// Check returns every fault at once, or nil.
func (l Limits) Check() error {
	_, err := l.rates()
	return err
}

// Counter counts requests: Redis, or this process where there is none.
type Counter interface {
	// Count counts one request against a rate under a key, and returns where the key stands.
	Count(ctx context.Context, key string, rate limiter.Rate) (limiter.Context, error)
}

// rates reads the limits. It names every one that can't be read.
func (l Limits) rates() (map[rateClass]limiter.Rate, error) {
	limits := map[rateClass]limiter.Rate{}
	var faults []error
	for class, form := range map[rateClass]string{classRegister: l.Register, classWrite: l.Write, classRead: l.Read, classExport: l.Export} {
		if form == LimitOff {
			continue
		}
		rate, err := limiter.NewRateFromFormatted(form)
		if err != nil || rate.Limit < 1 {
			faults = append(faults, fmt.Errorf("rate limit of class %s must be a number and S, M, H or D, as in 120-M, or %q", class, LimitOff))
			continue
		}
		limits[class] = rate
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

// count counts a request of a class for its client and sets the headers that say what is left. It returns rate_limited beyond the limit.
// A request that is made for another one of the same class is counted already, with that.
// Headers follow the IETF draft "RateLimit header fields for HTTP" and the older X-RateLimit form. A store that can't count lets
// everything pass: limits protect the service, they must not stop it.
func (s *server) count(c *gin.Context, class rateClass) error {
	rate, limited := s.limits[class]
	if !limited {
		return nil
	}
	known := requestOf(c.Request.Context())
	if known.counted == nil || known.counted.class != class {
		count, err := s.countAll(c.Request.Context(), rate, class, admit.Networks(known.client))
		if err != nil {
			return nil
		}
		known.counted = &counted{class, count}
	}
	count, window := known.counted, int64(rate.Period.Seconds())
	// The counter gives the window's end in whole seconds, cut off: a second later it is over for certain.
	left := min(max(count.Reset+1-time.Now().Unix(), 1), window)
	name := strconv.Quote(string(class))
	c.Header("RateLimit-Policy", fmt.Sprintf("%s;q=%d;w=%d", name, rate.Limit, window))
	c.Header("RateLimit", fmt.Sprintf("%s;r=%d;t=%d", name, count.Remaining, left))
	c.Header("X-RateLimit-Limit", strconv.FormatInt(rate.Limit, 10))
	c.Header("X-RateLimit-Remaining", strconv.FormatInt(count.Remaining, 10))
	c.Header("X-RateLimit-Reset", strconv.FormatInt(time.Now().Unix()+left, 10))
	if !count.Reached {
		return nil
	}
	return &lore.Problem{
		Code: lore.CodeRateLimited, RetryAfter: time.Duration(left) * time.Second,
		Detail: "too many requests of class " + string(class) + " from your address; wait for the seconds in Retry-After",
	}
}

// countAll counts a request for each network of its client, and returns what the one that has the least left said.
func (s *server) countAll(ctx context.Context, rate limiter.Rate, class rateClass, networks []netip.Prefix) (least limiter.Context, err error) {
	for i, network := range networks {
		count, err := s.Counter.Count(ctx, string(class)+":"+network.String(), rate)
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
