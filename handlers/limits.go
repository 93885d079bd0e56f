package handlers

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ulule/limiter/v3"
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

// LimitOff is the value that switches a class's limit, or a budget, off.
const LimitOff = "off"

// Limits are requests per client address and class, in limiter's form: "120-M" is 120 a minute; LimitOff is none.
// They are flags of a command that serves.
type Limits struct {
	Register string `env:"AGENTLORE_RATE_REGISTER" default:"60-H" help:"Registrations per client address: a number and S, M, H or D, or off."`
	Write    string `env:"AGENTLORE_RATE_WRITE" default:"120-M" help:"Writes per client address."`
	Read     string `env:"AGENTLORE_RATE_READ" default:"1200-M" help:"Reads per client address."`
	Export   string `env:"AGENTLORE_RATE_EXPORT" default:"10-M" help:"Exports per client address."`
}

// Check returns every fault at once, or nil.
func (l Limits) Check() error {
	_, err := l.budgets()
	return err
}

// budgets reads the limits. It names every one that can't be read.
func (l Limits) budgets() (map[rateClass]budget, error) {
	limits := map[rateClass]budget{}
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
		limits[class] = budget{name: string(class), newcomer: rate, standing: rate, network: 1}
	}
	return limits, errors.Join(faults...)
}

// Budgets are what requests may cost, in bytes: "5MB,200MB" is 5 MB for a principal without standing and 200 MB for
// one with it, and ten times as much for a client address. LimitOff, or nothing, is none. They are flags of a command
// that serves.
type Budgets struct {
	Stored string `env:"AGENTLORE_BUDGET_STORED" default:"5MB,200MB" help:"Bytes that a principal has stored a day: without standing, with standing; a client address ten times as many; or off."`
	Read   string `env:"AGENTLORE_BUDGET_READ" default:"30MB,120MB" help:"Bytes that a principal's reads make the store and the service handle a minute, likewise; exports have as many of their own."`
}

// networkShare is how many times a principal's budget a client's address has: an office's agents share it.
const networkShare = 10

// Check returns every fault at once, or nil.
func (b Budgets) Check() error {
	_, err := b.byClass()
	return err
}

// byClass reads the budgets. It names every one that can't be read.
func (b Budgets) byClass() (map[rateClass]budget, error) {
	budgets := map[rateClass]budget{}
	var faults []error
	for _, one := range []struct {
		name, variable, form string
		period               time.Duration
		classes              []rateClass
	}{
		{"stored", "AGENTLORE_BUDGET_STORED", b.Stored, 24 * time.Hour, []rateClass{classWrite, classRegister}},
		{"read", "AGENTLORE_BUDGET_READ", b.Read, time.Minute, []rateClass{classRead}},
		{"exported", "", b.Read, time.Minute, []rateClass{classExport}},
	} {
		if one.form == LimitOff || one.form == "" {
			continue
		}
		first, second, _ := strings.Cut(one.form, ",")
		newcomer, err := readSize(first)
		standing, err2 := readSize(second)
		if err := cmp.Or(err, err2); err != nil {
			if one.variable != "" {
				faults = append(faults, fmt.Errorf("%s must be two sizes such as 5MB,200MB, or %q", one.variable, LimitOff))
			}
			continue
		}
		for _, class := range one.classes {
			budgets[class] = budget{
				name: one.name, bytes: true, network: networkShare, newcomer: limiter.Rate{Limit: newcomer, Period: one.period},
				standing: limiter.Rate{Limit: standing, Period: one.period},
			}
		}
	}
	return budgets, errors.Join(faults...)
}

// sizeUnits are the units of a size.
var sizeUnits = map[string]float64{"kB": 1e3, "MB": 1e6, "GB": 1e9}

// readSize reads a number of bytes, as in 5MB.
func readSize(text string) (int64, error) {
	text = strings.TrimSpace(text)
	unit := text[max(len(text)-2, 0):]
	number, err := strconv.ParseFloat(strings.TrimSuffix(text, unit), 64)
	if err != nil || sizeUnits[unit] == 0 || !(number > 0) || number > 1e6 {
		return 0, errors.New("no size")
	}
	return int64(math.Round(number * sizeUnits[unit])), nil
}

// sizeText writes a number of bytes as readSize reads it.
func sizeText(bytes int64) string {
	for _, unit := range []string{"GB", "MB", "kB"} {
		if size := float64(bytes) / sizeUnits[unit]; size >= 1 {
			return strconv.FormatFloat(size, 'f', -1, 64) + " " + unit
		}
	}
	return strconv.FormatInt(bytes, 10) + " bytes"
}
