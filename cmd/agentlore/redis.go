package main

import "time"

// redisSecrets are what Redis is reached with besides its URL, and how patiently.
type redisSecrets struct {
	RedisPassword     string `name:"redis-password" env:"REDIS_PASSWORD" help:"Redis's password, instead of one in the URL; better given by file."`
	RedisPasswordFile string `name:"redis-password-file" env:"REDIS_PASSWORD_FILE" help:"File that holds the password." placeholder:"FILE"`
	RedisCA           string `name:"redis-ca" env:"REDIS_CA" help:"PEM file of the certificate authority that signed the certificate of a rediss:// server." placeholder:"FILE"`
	// RedisTimeout is short because without Redis a request only takes longer: it must not wait for Redis longer than that.
	RedisTimeout time.Duration `name:"redis-timeout" env:"AGENTLORE_REDIS_TIMEOUT" default:"50ms" help:"The longest that a request waits for Redis; beyond it Redis counts as down for a while."`
}
