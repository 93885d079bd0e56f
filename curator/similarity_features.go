package curator

// feature is one way in which two reports can be alike, mostly 0 to 1, the same both ways round.
type feature struct {
	name string
	of   func(c *compared) float64
}

// features are what the similarity is learned over. Their order is free: weights name them.
var features = []feature{
	{"title_cosine", func(c *compared) float64 { return c.title.cosine(c.a.title, c.b.title) }},
	{"title_rarest", func(c *compared) float64 { return c.title.rarest / max(c.a.logReports, c.b.logReports) }},
	{"title_in_other_most", func(c *compared) float64 { _, most := covered(c.titleInOther, c.a.title, c.b.title); return most }},
	{"title_in_other_least", func(c *compared) float64 { least, _ := covered(c.titleInOther, c.a.title, c.b.title); return least }},
	{"lead_cosine", func(c *compared) float64 { return c.lead.cosine(c.a.lead, c.b.lead) }},
	{"lead_in_other", func(c *compared) float64 {
		least, most := covered(c.leadInOther, c.a.lead, c.b.lead)
		return (least + most) / 2
	}},
	{"all_cosine", func(c *compared) float64 { return c.words.cosine(c.a.words, c.b.words) }},
	{"all_rarest", func(c *compared) float64 { return c.words.rarest / max(c.a.logReports, c.b.logReports) }},
	{"names_cosine", func(c *compared) float64 { return c.names.cosine(c.a.names, c.b.names) }},
	{"names_of_smaller", func(c *compared) float64 { return ratio(c.names.sum, min(c.a.names.sum, c.b.names.sum)) }},
	{"names_rarest", func(c *compared) float64 { return c.names.rarest / max(c.a.logReports, c.b.logReports) }},
	{"files_cosine", func(c *compared) float64 { return c.sources.cosine(c.a.sources, c.b.sources) }},
	// Of kinds that both titles tell; in between where one tells none.
	{"same_kind", func(c *compared) float64 {
		switch {
		case c.a.kind == 0 || c.b.kind == 0:
			return 0.5
		case c.a.kind == c.b.kind:
			return 1
		}
		return 0
	}},
	{"places_overlap", func(c *compared) float64 { overlap, _ := comparePlaces(c.a.places, c.b.places); return overlap }},
	{"places_near", func(c *compared) float64 { _, near := comparePlaces(c.a.places, c.b.places); return near }},
}

// FeatureNames returns the names of what Features returns, in its order.
func FeatureNames() []string {
	names := make([]string, len(features))
	for i, f := range features {
		names[i] = f.name
	}
	return names
}

// Features returns how two reports are alike, in the order of FeatureNames. It is the same both ways round.
func Features(a, b *Vector) []float64 {
	c := compare(a, b)
	values := make([]float64, len(features))
	for i, f := range features {
		values[i] = f.of(c)
	}
	return values
}
