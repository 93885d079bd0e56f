package search

import (
	"math"
	"testing"
	"time"

	"agentlore/index/indextest"
	"agentlore/lore"
)

// trusted returns a submission that differs from others only in what trust is made of.
func trusted(category lore.Category, tier lore.Tier, outcomes *lore.Outcomes, created time.Time, confirmed *time.Time) lore.Submission {
	document := observed("multisig signer rotation", "")
	document.Category, document.Tier, document.Outcomes = category, tier, outcomes
	document.CreatedAt, document.LastConfirmedAt = created, confirmed
	return document
}

// The trust that puts results in order, by what comes of a document without its text, and the parts that explain=true
// shows, by the document itself, are one thing, by whatever clock.
func TestTrustIsWhatIsExplained(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	ago := func(age time.Duration) time.Time { return now.Add(-age) }
	confirmed := ago(24 * time.Hour)
	longAgo := ago(3000 * 24 * time.Hour)
	var documents []lore.Submission
	for _, category := range lore.Categories() {
		documents = append(documents,
			trusted(category.Value, lore.TierRaw, nil, now, nil),
			trusted(category.Value, lore.TierCorroborated, &lore.Outcomes{Worked: 3}, ago(category.Value.HalfLife()), nil),
			trusted(category.Value, lore.TierCanonical, &lore.Outcomes{Worked: 2, Failed: 5, Unsafe: 1}, longAgo, &confirmed),
		)
	}
	documents = append(documents,
		trusted(lore.CategoryMarket, lore.TierRaw, &lore.Outcomes{Unsafe: 9}, ago(-48*time.Hour), nil), // a clock runs ahead
		trusted(lore.CategoryMarket, lore.TierRaw, nil, confirmed, &longAgo),                           // confirmed before it was seen
		trusted(lore.CategoryMarket, lore.TierCanonical, &lore.Outcomes{Worked: 1_000_000}, now, &now),
	)
	searcher := searchStore(t, documents...)
	confidence := 1.0
	indextest.Put(t, searcher.client, lore.KnowledgeUnits, lore.KnowledgeUnit{
		ID: lore.NewID(), Summary: "multisig signer rotation", Category: lore.CategoryMarket, Tier: lore.TierCanonical, Confidence: confidence,
		Status: lore.UnitActive, Outcomes: lore.Outcomes{Worked: 1_000_000}, Ecosystem: []string{}, CreatedAt: now,
	})
	indextest.Put(t, searcher.client, lore.Assets, lore.CatalogEntry{Name: "multisig", Type: "tool"}.Asset(longAgo))

	q := parse(lore.SearchQuery{Text: "multisig", Limit: 100, Explain: true}, now)
	hits := foundBy(t, searcher, q)
	if want := len(documents) + 2; len(hits) != want {
		t.Fatalf("%d results, want %d", len(hits), want)
	}
	q.rank(hits)
	for _, hit := range hits {
		document := hit.Document
		factor := trustOf(&document, now).factor()
		words := 0.0
		for _, part := range q.explanation(hit).Words {
			words += part
		}
		if want := words*factor + hit.boost; math.Abs(hit.Score-want) > 1e-5*want {
			t.Errorf("%s of tier %d, created %s: the score is %v, its parts make %v", document.Category, document.Tier, document.CreatedAt, hit.Score, want)
		}
		if factor < 1 || factor > trustMax {
			t.Errorf("a factor of %v", factor)
		}
	}
}

// The factor is the same to the last bit each time: equal items stay in their order from page to page.
func TestTrustIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	now, confidence := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), 0.83
	document := searchDocument{
		Tier: lore.TierCorroborated, Confidence: &confidence, Outcomes: &lore.Outcomes{Worked: 3, Failed: 1},
		Category: lore.CategoryMarket, CreatedAt: now.Add(-31 * time.Hour),
	}
	first := trustOf(&document, now).factor()
	for range 1000 {
		if again := trustOf(&document, now).factor(); again != first {
			t.Fatalf("%v, then %v", first, again)
		}
	}
}

// All that trust can add doesn't lift a result over one that fits twice as well.
func TestTrustLiftsOverNothingTwiceAsGood(t *testing.T) {
	now, confidence := time.Now(), 1.0
	most := trustOf(&searchDocument{
		Tier: lore.TierCanonical, Confidence: &confidence, Outcomes: &lore.Outcomes{Worked: 1_000_000}, Category: lore.CategorySecurity, CreatedAt: now,
	}, now)
	if product := most.tier * most.confidence * most.outcomes * most.age; product >= 2 || most.factor() != product {
		t.Errorf("%v make %v, cut to %v", most.parts(), product, most.factor())
	}
}

// Age halves what it adds in each half-life of the category; another owner's report starts it anew.
func TestAgeCountsByHalfLife(t *testing.T) {
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	added := func(category lore.Category, age time.Duration, confirmed *time.Time) float64 {
		return trustOf(&searchDocument{Category: category, CreatedAt: now.Add(-age), LastConfirmedAt: confirmed}, now).age - 1
	}
	for _, category := range lore.Categories() {
		fresh, halfLife := added(category.Value, 0, nil), category.Value.HalfLife()
		for n := range 4 {
			if got, want := added(category.Value, time.Duration(n)*halfLife, nil), fresh/math.Exp2(float64(n)); math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: after %d half-lives age adds %v, want %v", category.Value, n, got, want)
			}
		}
		if got := added(category.Value, 10*halfLife, &now); math.Abs(got-fresh) > 1e-9 {
			t.Errorf("%s: confirmed just now, age adds %v, want %v", category.Value, got, fresh)
		}
	}
}

// Of results that say the same, the better trusted one comes first; results that say less come behind both.
func TestTrustOrdersEqualTexts(t *testing.T) {
	t.Parallel()
	now := time.Now()
	days := func(n int) time.Time { return now.AddDate(0, 0, -n) }
	pairs := map[string][2]lore.Submission{ // the better one first; a name is the word that both have
		"tier":       {trusted("failure", lore.TierValidated, nil, days(9), nil), trusted("failure", lore.TierCorroborated, nil, days(9), nil)},
		"worked":     {trusted("failure", 1, &lore.Outcomes{Worked: 5}, days(9), nil), trusted("failure", 1, nil, days(9), nil)},
		"failed":     {trusted("failure", 1, &lore.Outcomes{Worked: 5}, days(9), nil), trusted("failure", 1, &lore.Outcomes{Worked: 5, Failed: 5}, days(9), nil)},
		"unsafe":     {trusted("failure", 1, &lore.Outcomes{Worked: 5, Failed: 2}, days(9), nil), trusted("failure", 1, &lore.Outcomes{Worked: 5, Unsafe: 2}, days(9), nil)},
		"age":        {trusted("market", 1, nil, days(1), nil), trusted("market", 1, nil, days(60), nil)},
		"halflife":   {trusted("general", 1, nil, days(60), nil), trusted("market", 1, nil, days(60), nil)},
		"confirming": {trusted("market", 1, nil, days(90), ptr(days(1))), trusted("market", 1, nil, days(60), nil)},
	}
	var documents []lore.Submission
	for name, pair := range pairs {
		for i := range pair {
			pair[i].Summary = "multisig signer rotation " + name
		}
		pairs[name] = pair
		documents = append(documents, pair[1], pair[0])
	}
	searcher := searchStore(t, documents...)
	for name, pair := range pairs {
		result := find(t, searcher, lore.SearchQuery{Text: name + " signer rotation multisig"})
		if len(result.Results) < 2 || result.Results[0].ID != pair[0].ID || result.Results[1].ID != pair[1].ID {
			t.Errorf("%s: %q with %v", name, summaries(result), result.Results[:min(2, len(result.Results))])
		}
	}
}

func ptr[T any](value T) *T { return &value }
