package curator

import "math"

// nearLines is the distance, in lines, at which two places in a file are 1/e near: about the length of a function.
const nearLines = 20

// feature is one way in which two reports can be alike, mostly 0 to 1, the same both ways round.
type feature struct {
	name string
	of   func(a, b *Vector) float64
}

// features are what the similarity is learned over. Their order is free: weights name them.
var features = []feature{
	{"title_cosine", func(a, b *Vector) float64 { return a.title.cosine(b.title) }},
	{"title_grams", func(a, b *Vector) float64 {
		return ratio(2*float64(a.titleGrams.shared(b.titleGrams).count), float64(len(a.titleGrams.terms)+len(b.titleGrams.terms)))
	}},
	{"title_rarest", func(a, b *Vector) float64 { return a.title.shared(b.title).rarest / a.logReports }},
	{"title_in_other_most", func(a, b *Vector) float64 { return max(a.title.coverage(b.all), b.title.coverage(a.all)) }},
	{"title_in_other_least", func(a, b *Vector) float64 { return min(a.title.coverage(b.all), b.title.coverage(a.all)) }},
	{"title_names", func(a, b *Vector) float64 {
		return ratio(a.titleNames.shared(b.titleNames).sum, max(a.titleNames.sum, b.titleNames.sum))
	}},
	{"title_names_in_other_most", func(a, b *Vector) float64 {
		return max(a.titleNames.coverage(b.names), b.titleNames.coverage(a.names))
	}},
	{"title_names_in_other_least", func(a, b *Vector) float64 {
		return min(a.titleNames.coverage(b.names), b.titleNames.coverage(a.names))
	}},
	{"lead_cosine", func(a, b *Vector) float64 { return a.lead.cosine(b.lead) }},
	{"lead_in_other", func(a, b *Vector) float64 { return (a.lead.coverage(b.all) + b.lead.coverage(a.all)) / 2 }},
	{"prose_cosine", func(a, b *Vector) float64 { return a.prose.cosine(b.prose) }},
	{"all_cosine", func(a, b *Vector) float64 { return a.all.cosine(b.all) }},
	{"all_rarest", func(a, b *Vector) float64 { return a.all.shared(b.all).rarest / a.logReports }},
	{"names_cosine", func(a, b *Vector) float64 { return a.names.cosine(b.names) }},
	{"names_of_smaller", func(a, b *Vector) float64 { return ratio(a.names.shared(b.names).sum, min(a.names.sum, b.names.sum)) }},
	{"names_rarest", func(a, b *Vector) float64 { return a.names.shared(b.names).rarest / a.logReports }},
	{"code_cosine", func(a, b *Vector) float64 { return a.code.cosine(b.code) }},
	{"code_lines_cosine", func(a, b *Vector) float64 { return a.lines.cosine(b.lines) }},
	{"numbers_cosine", func(a, b *Vector) float64 { return a.numbers.cosine(b.numbers) }},
	{"files_cosine", func(a, b *Vector) float64 { return a.files.cosine(b.files) }},
	{"places_overlap", func(a, b *Vector) float64 { shared, _ := comparePlaces(a.places, b.places); return shared }},
	{"places_near", func(a, b *Vector) float64 { _, near := comparePlaces(a.places, b.places); return near }},
	{"length_ratio", func(a, b *Vector) float64 {
		return min(a.contentLength, b.contentLength) / max(a.contentLength, b.contentLength)
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
	values := make([]float64, len(features))
	for i, f := range features {
		values[i] = f.of(a, b)
	}
	return values
}
