package main

import (
	"errors"
	"time"

	"agentlore/handlers"
)

// capacityConfig bounds what a service takes on at once.
type capacityConfig struct {
	MaxReads             int           `env:"AGENTLORE_MAX_READS" default:"64" help:"Reads worked on at once; four times as many may wait, the rest gets a 503."`
	MaxWrites            int           `env:"AGENTLORE_MAX_WRITES" default:"128" help:"Writes worked on at once, likewise."`
	QueueWait            time.Duration `env:"AGENTLORE_QUEUE_WAIT" default:"600ms" help:"How long a request may wait for its turn before it gets a 503; a sixth of it under overload."`
	MaxConnections       int           `env:"AGENTLORE_MAX_CONNECTIONS" default:"4096" help:"Connections at once; more wait until one ends."`
	MaxClientConnections int           `env:"AGENTLORE_MAX_CLIENT_CONNECTIONS" default:"256" help:"Connections at once of one client address (IPv6: a /64, four times as many a /48); trusted proxies may have any number."`
	DrainTimeout         time.Duration `env:"AGENTLORE_DRAIN_TIMEOUT" default:"20s" help:"How long requests under way may take to finish when the service is told to stop."`
}

// check returns what is wrong, or nil.
func (c capacityConfig) check() error {
	if c.MaxReads < 1 || c.MaxWrites < 1 || c.QueueWait <= 0 || c.MaxConnections < 1 || c.MaxClientConnections < 1 {
		return errors.New("AGENTLORE_MAX_READS, AGENTLORE_MAX_WRITES, AGENTLORE_MAX_CONNECTIONS, AGENTLORE_MAX_CLIENT_CONNECTIONS and AGENTLORE_QUEUE_WAIT must be above 0")
	}
	if c.DrainTimeout <= 0 {
		return errors.New("AGENTLORE_DRAIN_TIMEOUT must be above 0")
	}
	return nil
}

// capacity returns what the HTTP interface keeps to.
func (c capacityConfig) capacity() handlers.Capacity {
	return handlers.Capacity{Reads: c.MaxReads, Writes: c.MaxWrites, Wait: c.QueueWait}
}
