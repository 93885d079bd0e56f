package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"agentlore/cache"
)

// redisSecrets are what Redis is reached with besides its URL, and how patiently.
type redisSecrets struct {
	RedisPassword     string `name:"redis-password" env:"REDIS_PASSWORD" help:"Redis's password, instead of one in the URL; better given by file."`
	RedisPasswordFile string `name:"redis-password-file" env:"REDIS_PASSWORD_FILE" help:"File that holds the password." placeholder:"FILE"`
	RedisCA           string `name:"redis-ca" env:"REDIS_CA" help:"PEM file of the certificate authority that signed the certificate of a rediss:// server." placeholder:"FILE"`
	// RedisTimeout is short because without Redis a request only takes longer: it must not wait for Redis longer than that.
	RedisTimeout time.Duration `name:"redis-timeout" env:"AGENTLORE_REDIS_TIMEOUT" default:"50ms" help:"The longest that a request waits for Redis; beyond it Redis counts as down for a while."`
}

// config returns how to reach Redis at an address, naming every fault at once.
func (r redisSecrets) config(url, prefix string, out output) (cache.Config, error) {
	config := cache.Config{URL: url, Prefix: prefix, CallTimeout: r.RedisTimeout, Log: out.log}
	var faults [2]error
	config.Password, faults[0] = secret("REDIS_PASSWORD", r.RedisPassword, r.RedisPasswordFile)
	if r.RedisCA != "" {
		var err error
		if config.CACert, err = os.ReadFile(r.RedisCA); err != nil {
			faults[1] = fmt.Errorf("REDIS_CA: %w", err)
		}
	}
	return config, errors.Join(faults[:]...)
}
