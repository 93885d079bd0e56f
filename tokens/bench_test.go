package tokens

import (
	"testing"

	"agentlore/cache/cachetest"
)

func BenchmarkVerifyFromProcess(b *testing.B) {
	accounts := newRegister()
	v := newReplica(b, accounts, openRedis(b, "", "p"))
	token := accounts.issue(b, "source-1")
	b.ReportAllocs()
	for b.Loop() {
		mustVerify(b, v, token, "source-1")
	}
}

func BenchmarkVerifyFromProcessParallel(b *testing.B) {
	accounts := newRegister()
	v := newReplica(b, accounts, openRedis(b, "", "p"))
	token := accounts.issue(b, "source-1")
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			_, _ = v.Verify(b.Context(), token)
		}
	})
}

func BenchmarkVerifyFromRedis(b *testing.B) {
	accounts := newRegister()
	v := newReplica(b, accounts, openRedis(b, cachetest.URL(b), cachetest.Prefix(b)))
	token := accounts.issue(b, "source-1")
	mustVerify(b, v, token, "source-1")
	awaitEntry(b, v.redis, token)
	b.ReportAllocs()
	for b.Loop() {
		v.clock.move(ProcessTTL)
		mustVerify(b, v, token, "source-1")
	}
	if got := accounts.count(); got != 1 {
		b.Fatalf("the accounts were asked %d times", got)
	}
}

func BenchmarkMalformed(b *testing.B) {
	token := mustMint(b)
	wrong := token[:len(token)-2] + token[len(token)-1:] + "0"
	for b.Loop() {
		_ = WellFormed(wrong)
	}
}

func BenchmarkMint(b *testing.B) {
	for b.Loop() {
		_ = mustMint(b)
	}
}
