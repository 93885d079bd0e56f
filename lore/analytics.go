package lore

// Analytics is what the corpus holds, in numbers.
type Analytics struct {
	Submissions  int64        `json:"submissions" doc:"Number of submissions counted"`
	ByCategory   []FacetCount `json:"by_category" nullable:"false" doc:"Submissions by category"`
	ByTier       []FacetCount `json:"by_tier" nullable:"false" doc:"Submissions by tier"`
	ByEcosystem  []FacetCount `json:"by_ecosystem" nullable:"false" doc:"Submissions by ecosystem, at most 50"`
	ByDay        []FacetCount `json:"by_day" nullable:"false" doc:"Submissions by day (UTC), days without any left out"`
	BySourceType []FacetCount `json:"by_source_type" nullable:"false" doc:"Sources by type"`
	TopTags      []FacetCount `json:"top_tags" nullable:"false" doc:"The 20 most used tags"`
	TopEntities  []FacetCount `json:"top_entities" nullable:"false" doc:"The 20 most named addresses, standards, errors and so on"`
	Scrubbed     []FacetCount `json:"scrubbed" nullable:"false" doc:"Submissions that something was removed from, by kind of secret"`
}

// Library is the validated knowledge of one ecosystem and category.
type Library struct {
	Ecosystem string          `json:"ecosystem" doc:"Ecosystem; empty for knowledge that holds everywhere"`
	Category  Category        `json:"category" doc:"Category"`
	Count     int64           `json:"count" doc:"Number of knowledge units"`
	Best      []KnowledgeUnit `json:"best" nullable:"false" doc:"The three most trusted of them"`
}
