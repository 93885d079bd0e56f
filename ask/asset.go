package ask

import (
	"agentlore/catalog"
	"agentlore/lore"
)

// AssetAnswer returns the answer to a question about assets: what the catalog says of the likeliest, and of as many others that it names
// limit in all, DefaultProblems for 0.
func AssetAnswer(found []catalog.Finding, limit int) Answer {
	if limit == 0 {
		limit = DefaultProblems
	}
	best := found[0]
	answer := Answer{Verdict: Similar, Also: []OtherProblem{}, Why: []string{"it is from the catalog of the reference library"}, ContentTrust: "untrusted"}
	if best.Sure {
		answer.Verdict = Known
	} else if len(found) > 1 {
		answer.Why = append(answer.Why, "several have the name: see also")
	}
	path := lore.TypeAsset.Path(best.Asset.ID)
	answer.Problem = &KnownProblem{
		ID: best.Asset.ID, Title: lore.CutAtWord(best.Title, maxAssetTitle), Cause: cutAtSentence(best.Facts, maxFix), Fix: lore.CutAtWord(best.Then, maxFix),
		Applies: Applies{Chain: best.Asset.Ecosystem}, Warnings: best.Asset.Warnings[:min(len(best.Asset.Warnings), maxWarnings)], URL: path,
	}
	if best.Asset.Reference != nil {
		answer.Problem.Evidence.Reference = best.Asset.Reference.URL
	}
	for _, other := range found[1:min(len(found), limit)] {
		answer.Also = append(answer.Also, OtherProblem{ID: other.Asset.ID, Title: lore.CutAtWord(other.Title, maxAssetTitle)})
	}
	answer.NextBy(HTTPCalls, Question{})
	return answer
}

// maxAssetTitle is how long the first line on an asset is at most, in characters: it holds two addresses.
const maxAssetTitle = 240
