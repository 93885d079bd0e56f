package cache

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// complete adds to the URL's options what the configuration says besides.
func (c Config) complete(options *redis.Options) error {
	if c.Password != "" {
		options.Password = c.Password
	}
	if len(c.CACert) == 0 {
		return nil
	}
	if options.TLSConfig == nil {
		return errors.New("cache: a CA certificate for Redis is given, and the URL asks for no TLS: it must begin with rediss://")
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(c.CACert) {
		return errors.New("cache: the CA certificate for Redis holds no PEM certificate")
	}
	options.TLSConfig.RootCAs, options.TLSConfig.MinVersion = pool, tls.VersionTLS12
	return nil
}

// checkTimeout bounds what Check asks of Redis.
const checkTimeout = 5 * time.Second

// Check tries, for an operator, what the service needs of Redis: to connect, to log in, to write and to read back. It returns
// what it found, or the first fault, without a password in it.
func Check(ctx context.Context, config Config) (found string, err error) {
	if config.URL == "" {
		return "none is configured: caches and counters are in process, right for one replica", nil
	}
	config.Cooldown = time.Hour // one look, no watch
	r, err := Open(config)
	if err != nil {
		return "", err
	}
	defer r.Close()
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	if err := r.client.Ping(ctx).Err(); err != nil {
		return "", fmt.Errorf("it can't be reached or refuses us: %w", err)
	}
	key, written := r.key("check", "write"), rand.Text()
	if err := r.client.Set(ctx, key, written, time.Minute).Err(); err != nil {
		return "", fmt.Errorf("it can't be written: %w", err)
	}
	read, err := r.client.Get(ctx, key).Result()
	if err == nil && read != written {
		err = errors.New("another value came back")
	}
	if err != nil {
		return "", fmt.Errorf("it can't be read: %w", err)
	}
	if err := r.client.Del(ctx, key).Err(); err != nil {
		return "", fmt.Errorf("a key can't be deleted: %w", err)
	}
	return "it answers and can be written", nil
}
