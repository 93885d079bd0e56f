package migrate

import (
	"context"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/index/accounts"
)

// convertAccounts makes the accounts of before into one document an account. Writes are blocked meanwhile: registrations and rotations
// wait. Every source becomes a principal of its own, since nothing proves that two are one, and keeps its tokens.
func (m *move) convertAccounts(ctx context.Context) error {
	if err := m.prepare(ctx); err != nil {
		return err
	}
	err := m.blockWrites(ctx)
	if err == nil {
		err = m.Do(ctx, esapi.IndicesRefreshRequest{Index: []string{m.from}}, nil)
	}
	if err == nil {
		err = accounts.Convert(ctx, m.Client, m.from, m.to, m.say)
	}
	if err == nil {
		err = m.publish(ctx)
	}
	if err == nil {
		err = m.swapAlias(ctx)
	}
	if err != nil && m.swapped(ctx) { // its answer was lost
		err = nil
	}
	if err != nil {
		m.unblock(m.from)
		m.discard()
	}
	return err
}
