package accounts

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"agentlore/enginetest"
	"agentlore/index"
	"agentlore/index/indextest"
)

// shared is a store that tests have together, each with names of its own.
var shared struct {
	once   sync.Once
	prefix string
	client *index.Client
}

func TestMain(m *testing.M) {
	status := m.Run()
	if shared.prefix != "" {
		if err := enginetest.Remove(shared.prefix); err != nil {
			fmt.Fprintln(os.Stderr, err)
			status = 1
		}
	}
	os.Exit(status)
}

// sharedClient returns the client of the shared store.
func sharedClient(t *testing.T) *index.Client {
	t.Helper()
	address := enginetest.ElasticsearchURL(t)
	shared.once.Do(func() {
		shared.prefix = enginetest.NewPrefix()
		client := indextest.Open(t, shared.prefix, address)
		indextest.Migrate(t, client)
		shared.client = client
	})
	if shared.client == nil {
		t.Fatal("the shared store could not be made")
	}
	return shared.client
}
