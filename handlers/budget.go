package handlers

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"
	"github.com/ulule/limiter/v3"

	"agentlore/handlers/admit"
	"agentlore/lore"
)

// A budget bounds how much of one thing clients take in a time: requests of a class, bytes that are stored, bytes
// that reads make the store and the service handle. Who pays for a request are its principal, where its token shows
// one, and its client's networks; each has a count of its own. Of bytes a network has ten times what a principal has,
// so that an office's agents share an address. Networks count what principals with standing take apart from what
// others take: neither can use up the other's.
type budget struct {
	name               string
	bytes              bool // it counts bytes, and principals pay too; else requests, of addresses alone
	newcomer, standing limiter.Rate
	network            int64 // how many times as much a client's network has
}

// Counter counts what is taken: Redis, or this process where there is none.
type Counter interface {
	// Count counts n against a rate under a key, and returns where the key stands; with n below 0 it takes back what
	// was counted.
	Count(ctx context.Context, key string, n int64, rate limiter.Rate) (limiter.Context, error)
}

// Privileges say whose budgets are larger. Their methods answer from memory.
type Privileges interface {
	// HasStanding reports whether a principal has standing.
	HasStanding(principal string) bool
	// Times returns how many times its budgets the operator gave a principal or a network, by its id or in CIDR form;
	// 0: nobody raised them.
	Times(subject string) int64
}

// nobody's budgets are larger.
type nobody struct{}

// HasStanding says no.
func (nobody) HasStanding(string) bool { return false }

// Times says that nobody raised them.
func (nobody) Times(string) int64 { return 0 }

// key begins the keys of the budget's counts.
func (b budget) key() string {
	if b.bytes {
		return "bytes:" + b.name
	}
	return b.name
}

// siteAllowance is how many times the allowance of an IPv6 client (/64) its site (/48) has. A site has 65,536 such
// networks to choose from: counted by them alone, it would hardly be limited. Sixteen are more clients than most
// sites have at work at once.
const siteAllowance = 16

// payer is who pays for a request: one count of a budget.
type payer struct {
	key  string
	rate limiter.Rate
}

// payers returns who pays for a request out of a budget, the narrowest first. A principal whose budgets an operator
// raised pays alone: its neighbours shall not pay for it.
func (s *server) payers(known *request, b budget) (payers []payer) {
	rate, of := b.newcomer, b.key()
	if principal := known.identity.Principal; principal != "" && b.bytes {
		if s.Privileges.HasStanding(principal) {
			rate, of = b.standing, b.key()+":standing"
		}
		times := s.Privileges.Times(principal)
		own := payer{b.key() + ":" + principal, rate}
		own.rate.Limit *= max(times, 1)
		if payers = append(payers, own); times > 0 {
			return payers
		}
	}
	rate.Limit *= b.network
	for _, network := range admit.Networks(known.client) {
		paying := payer{of + ":" + network.String(), rate}
		paying.rate.Limit *= max(s.Privileges.Times(network.String()), 1)
		payers = append(payers, paying)
		rate.Limit *= siteAllowance
	}
	return payers
}

// charge counts n of a budget for each payer, and returns what the one that has the least left said. Where one has
// too little, the others pay nothing; of bytes that one pays nothing either, so that less may still fit.
func (s *server) charge(ctx context.Context, b budget, payers []payer, n int64) (least limiter.Context, err error) {
	for i, paying := range payers {
		count, err := s.Counter.Count(ctx, paying.key, n, paying.rate)
		if err != nil {
			return least, err
		}
		if i == 0 || count.Reached || count.Remaining < least.Remaining {
			least = count
		}
		if count.Reached {
			paid := payers[:i]
			if b.bytes {
				paid = payers[:i+1]
			}
			s.giveBack(ctx, paid, n)
			break
		}
	}
	return least, nil
}

// giveBack takes back what payers were charged.
func (s *server) giveBack(ctx context.Context, payers []payer, n int64) {
	for _, paying := range payers {
		_, _ = s.Counter.Count(ctx, paying.key, -n, paying.rate) // limits must not stop the service
	}
}

// counted is what a limit said of a request.
type counted struct {
	class rateClass
	limiter.Context
}

// left returns for how many seconds a count goes on: the counter gives its end in whole seconds, cut off, and a
// second later it is over for certain.
func left(count limiter.Context, rate limiter.Rate) int64 {
	return min(max(count.Reset+1-time.Now().Unix(), 1), int64(rate.Period.Seconds()))
}

// count counts a request of a class for its client and sets the headers that say what is left. It returns
// rate_limited beyond the limit. A request that is made for another one of the same class is counted already, with
// that. Headers follow the IETF draft "RateLimit header fields for HTTP" and the older X-RateLimit form. A store that
// can't count lets everything pass: limits protect the service, they must not stop it.
func (s *server) count(c *gin.Context, class rateClass) error {
	limit, limited := s.limits[class]
	if !limited {
		return nil
	}
	count := s.countOnce(c.Request.Context(), class, limit)
	if count == nil {
		return nil
	}
	rate := limit.newcomer
	seconds, name := left(count.Context, rate), strconv.Quote(string(class))
	c.Header("RateLimit-Policy", fmt.Sprintf("%s;q=%d;w=%d", name, rate.Limit, int64(rate.Period.Seconds())))
	c.Header("RateLimit", fmt.Sprintf("%s;r=%d;t=%d", name, count.Remaining, seconds))
	c.Header("X-RateLimit-Limit", strconv.FormatInt(rate.Limit, 10))
	c.Header("X-RateLimit-Remaining", strconv.FormatInt(count.Remaining, 10))
	c.Header("X-RateLimit-Reset", strconv.FormatInt(time.Now().Unix()+seconds, 10))
	if !count.Reached {
		return nil
	}
	return &lore.Problem{
		Code: lore.CodeRateLimited, RetryAfter: time.Duration(seconds) * time.Second,
		Detail: "too many requests of class " + string(class) + " from your address; wait for the seconds in Retry-After",
	}
}

// countOnce counts a request of a class, unless it is counted already; nil: the counter could not.
func (s *server) countOnce(ctx context.Context, class rateClass, limit budget) *counted {
	known := requestOf(ctx)
	if known.counted == nil || known.counted.class != class {
		count, err := s.charge(ctx, limit, s.payers(known, limit), 1)
		if err != nil {
			return nil
		}
		known.counted = &counted{class, count}
	}
	return known.counted
}

// searchMost is the most that the store's work for a search costs: large reports that others stored, and that its words find, must not use
// up the budget of who searches. A search among reports of usual size comes to a fifth of it.
const searchMost = 512 << 10

// leastCost is what a request of any kind costs, in bytes. Of large reads it is nothing; it bounds many small ones.
const leastCost = 2 << 10

// pay is the one place where requests are charged what they cost. A write is charged its body beforehand, and gets
// back what was not stored. A read is charged what is known of its cost beforehand, which tells whether there is any
// budget left, and what it came to afterwards: what the store sent for it, and the answer.
func (s *server) pay(o operation) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		b, bounded := s.budgets[o.Class]
		if !bounded {
			next(ctx)
			return
		}
		c, known := humagin.Unwrap(ctx), requestOf(ctx.Context())
		cost := leastCost + o.CostOfByte*(known.body+int64(len(c.Request.URL.RawQuery)))
		writes := o.Class == classWrite || o.Class == classRegister
		if writes {
			cost = known.body
		}
		payers := s.payers(known, b)
		count, err := s.charge(ctx.Context(), b, payers, cost)
		if err == nil && count.Reached && !o.Bearer && s.recognise(ctx, known) { // its own budget may have more
			payers = s.payers(known, b)
			count, err = s.charge(ctx.Context(), b, payers, cost)
		}
		if err != nil { // a store that can't count lets everything pass
			next(ctx)
			return
		}
		if count.Reached {
			s.writeProblem(c, quotaProblem(b, count))
			return
		}
		known.payers = payers
		next(ctx)
		if !writes {
			handled := known.handled.Swap(0)
			if o.MostHandled > 0 {
				handled = min(handled, o.MostHandled)
			}
			s.settle(ctx.Context(), known, handled+answerSize(c.Writer))
			return
		}
		if unstored := cost - known.storedOf(o, c.Writer.Status(), cost); unstored > 0 {
			s.giveBack(ctx.Context(), payers, unstored)
		}
	}
}

// recognise makes the bearer of a read's token known, which reads need not have. It reports whether there is one with
// standing, or whose budgets were raised.
func (s *server) recognise(ctx huma.Context, known *request) bool {
	token := bearerToken(ctx.Header("Authorization"))
	if token == "" {
		return false
	}
	bearer, err := s.Tokens.Verify(ctx.Context(), token)
	if err != nil || !s.Privileges.HasStanding(bearer.Principal) && s.Privileges.Times(bearer.Principal) == 0 {
		return false
	}
	known.identity = bearer
	return true
}

// settle charges a read a cost that is known now.
func (s *server) settle(ctx context.Context, known *request, cost int64) {
	for _, paying := range known.payers {
		_, _ = s.Counter.Count(ctx, paying.key, cost, paying.rate) // the next request hears that nothing is left
	}
}

// answerSize returns how many bytes an answer has.
func answerSize(answer gin.ResponseWriter) int64 {
	if held, is := answer.(*heldAnswer); is {
		return int64(held.body.Len())
	}
	return int64(max(answer.Size(), 0))
}

// storedOf returns how many of the bytes that a write was charged are stored: all where it made or changed something,
// unless its handler knows better.
func (known *request) storedOf(o operation, status int, charged int64) int64 {
	_, unchanged := o.Also[status]
	switch {
	case known.stored > 0:
		return min(known.stored, charged)
	case status >= 300 || unchanged || o.ID == batchID:
		return 0
	}
	return charged
}

// quotaProblem says that a budget is used up, and when it ends.
func quotaProblem(b budget, count limiter.Context) *lore.Problem {
	wait := time.Duration(left(count, b.newcomer)) * time.Second
	what := map[string]string{
		"stored": "bytes that are stored a day", "read": "bytes that reads cost a minute",
		"exported": "bytes that are exported a minute",
	}[b.name]
	return &lore.Problem{
		Code: lore.CodeQuota, RetryAfter: wait,
		Detail: fmt.Sprintf("your budget of %s, %s, has no room for this request; it ends at %s; standing gives a larger one, "+
			"and the operator can raise it", what, sizeText(count.Limit), time.Now().Add(wait).UTC().Format(time.RFC3339)),
	}
}

// Meter charges requests what is read for them; it is the meter of the store's client.
type Meter struct{}

// Read charges a request bytes that were read for it. Its error says that clients, or this one, hold all the memory
// that they may.
func (Meter) Read(ctx context.Context, bytes int) error {
	known := requestOf(ctx)
	if known.server == nil { // work of our own
		return nil
	}
	known.handled.Add(int64(bytes))
	if !known.held.Take(int64(bytes)) {
		return known.server.overloaded("memory")
	}
	return nil
}

// Handled charges a request bytes that the store handled for it.
func (Meter) Handled(ctx context.Context, bytes int64) { requestOf(ctx).handled.Add(bytes) }
