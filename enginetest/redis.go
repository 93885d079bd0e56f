package enginetest

import (
	"context"
	"errors"
	"testing"

	"github.com/redis/go-redis/v9"
)

// Keys returns the keys under a prefix in the Redis at a URL.
func Keys(tb testing.TB, url, prefix string) []string {
	tb.Helper()
	client, err := connect(url)
	if err != nil {
		tb.Fatal(err)
	}
	defer client.Close()
	found, err := keys(client, prefix)
	if err != nil {
		tb.Fatalf("list keys: %v", err)
	}
	return found
}

// removeKeys removes the keys under a prefix. They would expire by themselves, within a day.
func removeKeys(url, prefix string) error {
	if url == "" {
		return nil
	}
	client, err := connect(url)
	if err != nil {
		return err
	}
	defer client.Close()
	found, err := keys(client, prefix)
	if err != nil || len(found) == 0 {
		return err
	}
	return client.Del(context.Background(), found...).Err()
}

// keys has no use for a test's context, which has ended when a cleanup runs.
func keys(client *redis.Client, prefix string) ([]string, error) {
	var found []string
	rows := client.Scan(context.Background(), 0, prefix+":*", 1000).Iterator()
	for rows.Next(context.Background()) {
		found = append(found, rows.Val())
	}
	return found, rows.Err()
}

func connect(url string) (*redis.Client, error) {
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, errors.New("the Redis URL can't be read") // not quoted: it may hold a password
	}
	return redis.NewClient(options), nil
}

// Dump returns every key under a prefix with its value in Redis's own serialised form (DUMP), which holds strings as they
// are: what a test of secrets looks through.
func Dump(tb testing.TB, url, prefix string) []string {
	tb.Helper()
	client, err := connect(url)
	if err != nil {
		tb.Fatal(err)
	}
	defer client.Close()
	var dump []string
	for _, key := range Keys(tb, url, prefix) {
		value, err := client.Dump(context.Background(), key).Result()
		if err != nil && !errors.Is(err, redis.Nil) { // a key may expire between the two calls
			tb.Fatalf("dump a key: %v", err)
		}
		dump = append(dump, key+" "+value)
	}
	return dump
}
