package main

import (
	"context"
	"fmt"
	"time"
)

// round is a slice of each side.
type round struct {
	took   map[*side]latencies
	stolen float64 // share of the processors' time that the host took meanwhile, 0..1
}

// disturbance tells what the host took from the rounds that count, and how many were asked again for it.
type disturbance struct {
	stolen        float64 // share of the processors' time, 0..1
	rounds, again int
	asked         int // questions that each side was asked in all
}

// String says it in a cell of a table.
func (d disturbance) String() string {
	return fmt.Sprintf("%.1f %%, %d of %d again", 100*d.stolen, d.again, d.rounds)
}

// alternate sends questions at a fixed rate, whether or not earlier ones are answered (open loop), to one side after the
// other, slice by slice. All sides get the same questions of a slice; who is first of those that ask one store changes with each
// slice, for the next finds warmer caches. Then it asks the rounds again from which the host took most, as stolen tells, which returns
// the time taken since some start, and counts the calmer try of each: whose slice met the host's other guests says nothing of the sides.
func alternate(ctx context.Context, rate int, duration time.Duration, stores [][]*side, stolen func() time.Duration) (disturbance, error) {
	length := sliceLength(duration)
	rounds := make([]round, duration/length)
	for number := range rounds {
		var err error
		if rounds[number], err = oneRound(ctx, rate, length, number, stores, stolen); err != nil {
			return disturbance{}, err
		}
	}
	met := disturbance{rounds: len(rounds)}
	for ; met.again < int(againAtMost*float64(len(rounds))); met.again++ {
		worst := 0
		for number := range rounds {
			if rounds[number].stolen > rounds[worst].stolen {
				worst = number
			}
		}
		if rounds[worst].stolen <= calm {
			break
		}
		again, err := oneRound(ctx, rate, length, worst, stores, stolen)
		if err != nil {
			return disturbance{}, err
		}
		if again.stolen < rounds[worst].stolen {
			rounds[worst] = again
		}
	}
	met.asked = perSlice(rate, length) * (met.rounds + met.again)
	for _, counted := range rounds {
		met.stolen += counted.stolen / float64(len(rounds))
		for one, took := range counted.took {
			one.took.add(took)
		}
	}
	return met, nil
}

// oneRound gives every side its turn with the questions of a round.
func oneRound(ctx context.Context, rate int, length time.Duration, number int, stores [][]*side, stolen func() time.Duration) (round, error) {
	done, count := round{took: map[*side]latencies{}}, perSlice(rate, length)
	began, before := time.Now(), stolen()
	for _, sides := range stores {
		for turn := range sides {
			if ctx.Err() != nil {
				return done, context.Cause(ctx)
			}
			one := sides[(number+turn)%len(sides)]
			took := one.attack(rate, number*count, count)
			if err := took.err(one.name); err != nil { // also in a round that is asked again
				return done, err
			}
			done.took[one] = took
		}
	}
	done.stolen = shareOfProcessors(stolen()-before, time.Since(began))
	return done, nil
}
