package enginetest

import (
	"context"
	"testing"

	"github.com/redis/go-redis/v9"
)

// Keys returns the keys under a prefix in the Redis at a URL.
func Keys(tb testing.TB, url, prefix string) []string {
	tb.Helper()
	client := connect(tb, url)
	defer client.Close()
	return keys(tb, client, prefix)
}

// dropKeys removes the keys under a prefix. They would expire by themselves, within a day.
func dropKeys(tb testing.TB, prefix string) {
	tb.Helper()
	client := connect(tb, RedisURL(tb))
	defer client.Close()
	if found := keys(tb, client, prefix); len(found) > 0 {
		if err := client.Del(context.Background(), found...).Err(); err != nil {
			tb.Errorf("remove keys: %v", err)
		}
	}
}

// keys doesn't use the test's own context: in a cleanup that has ended.
func keys(tb testing.TB, client *redis.Client, prefix string) []string {
	tb.Helper()
	var found []string
	rows := client.Scan(context.Background(), 0, prefix+":*", 1000).Iterator()
	for rows.Next(context.Background()) {
		found = append(found, rows.Val())
	}
	if err := rows.Err(); err != nil {
		tb.Fatalf("list keys: %v", err)
	}
	return found
}

func connect(tb testing.TB, url string) *redis.Client {
	tb.Helper()
	options, err := redis.ParseURL(url)
	if err != nil {
		tb.Fatal("the Redis URL can't be read") // not quoted: it may hold a password
	}
	return redis.NewClient(options)
}
