package curator

import "math"

// nearLines is the distance, in lines, at which two places in a file are 1/e near: about the length of a function.
const nearLines = 20

// compared is what two reports share, found once for all features that ask for it: walking through both reports' terms
// is most of what a comparison takes.
type compared struct {
	a, b                                                                                *Vector
	title, titleGrams, titleNames, lead, prose, all, names, code, lines, numbers, files overlap
	titleInOther, titleNamesInOther                                                     [2]float64 // a's in b, b's in a
	placesShared, placesNear                                                            float64
}

func compareVectors(a, b *Vector) compared {
	c := compared{
		a: a, b: b, title: a.title.shared(b.title), titleGrams: a.titleGrams.shared(b.titleGrams), titleNames: a.titleNames.shared(b.titleNames),
		lead: a.lead.shared(b.lead), prose: a.prose.shared(b.prose), all: a.all.shared(b.all), names: a.names.shared(b.names), code: a.code.shared(b.code),
		lines: a.lines.shared(b.lines), numbers: a.numbers.shared(b.numbers), files: a.files.shared(b.files),
		titleInOther:      [2]float64{a.title.coverage(b.all), b.title.coverage(a.all)},
		titleNamesInOther: [2]float64{a.titleNames.coverage(b.names), b.titleNames.coverage(a.names)},
	}
	c.placesShared, c.placesNear = comparePlaces(a.places, b.places)
	return c
}

// feature is one way in which two reports can be alike, mostly 0 to 1, the same both ways round.
type feature struct {
	name string
	of   func(c *compared) float64
}

// features are what the similarity is learned over. Their order is free: weights name them.
var features = []feature{
	{"title_cosine", func(c *compared) float64 { return cosine(c.title, c.a.title, c.b.title) }},
	{"title_grams", func(c *compared) float64 {
		return ratio(2*float64(c.titleGrams.count), float64(len(c.a.titleGrams.terms)+len(c.b.titleGrams.terms)))
	}},
	{"title_rarest", func(c *compared) float64 { return c.title.rarest / c.a.logReports }},
	{"title_in_other_most", func(c *compared) float64 { return max(c.titleInOther[0], c.titleInOther[1]) }},
	{"title_in_other_least", func(c *compared) float64 { return min(c.titleInOther[0], c.titleInOther[1]) }},
	{"title_names", func(c *compared) float64 {
		return ratio(c.titleNames.sum, max(c.a.titleNames.sum, c.b.titleNames.sum))
	}},
	{"title_names_in_other_most", func(c *compared) float64 { return max(c.titleNamesInOther[0], c.titleNamesInOther[1]) }},
	{"title_names_in_other_least", func(c *compared) float64 { return min(c.titleNamesInOther[0], c.titleNamesInOther[1]) }},
	{"lead_cosine", func(c *compared) float64 { return cosine(c.lead, c.a.lead, c.b.lead) }},
	{"lead_in_other", func(c *compared) float64 { return (c.a.lead.coverage(c.b.all) + c.b.lead.coverage(c.a.all)) / 2 }},
	{"prose_cosine", func(c *compared) float64 { return cosine(c.prose, c.a.prose, c.b.prose) }},
	{"all_cosine", func(c *compared) float64 { return cosine(c.all, c.a.all, c.b.all) }},
	{"all_rarest", func(c *compared) float64 { return c.all.rarest / c.a.logReports }},
	{"names_cosine", func(c *compared) float64 { return cosine(c.names, c.a.names, c.b.names) }},
	{"names_of_smaller", func(c *compared) float64 { return ratio(c.names.sum, min(c.a.names.sum, c.b.names.sum)) }},
	{"names_rarest", func(c *compared) float64 { return c.names.rarest / c.a.logReports }},
	{"code_cosine", func(c *compared) float64 { return cosine(c.code, c.a.code, c.b.code) }},
	{"code_lines_cosine", func(c *compared) float64 { return cosine(c.lines, c.a.lines, c.b.lines) }},
	{"numbers_cosine", func(c *compared) float64 { return cosine(c.numbers, c.a.numbers, c.b.numbers) }},
	{"files_cosine", func(c *compared) float64 { return cosine(c.files, c.a.files, c.b.files) }},
	{"places_overlap", func(c *compared) float64 { return c.placesShared }},
	{"places_near", func(c *compared) float64 { return c.placesNear }},
	{"length_ratio", func(c *compared) float64 {
		return min(c.a.contentLength, c.b.contentLength) / max(c.a.contentLength, c.b.contentLength)
	}},
}

// comparePlaces returns how much the best two places share (intersection over union of lines, smoothed by one) and how
// near the nearest two are.
func comparePlaces(a, b []codeLines) (shared, near float64) {
	nearest := math.Inf(1)
	for _, x := range a {
		for _, y := range b {
			if x.file != y.file {
				continue
			}
			common := float64(min(x.to, y.to) - max(x.from, y.from) + 1)
			if common <= 0 {
				nearest = min(nearest, 1-common)
				continue
			}
			nearest = 0
			shared = max(shared, (common+1)/(float64(max(x.to, y.to)-min(x.from, y.from))+2))
		}
	}
	return shared, math.Exp(-nearest / nearLines)
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
	c := compareVectors(a, b)
	values := make([]float64, len(features))
	for i, f := range features {
		values[i] = f.of(&c)
	}
	return values
}
