package main

// figures are B-cubed: for every report, how much of its group found is of its true group (precision), and how much of
// its true group was found (recall); means over reports, and F1 of the two.
type figures struct{ precision, recall, f1 float64 }

// bCubed compares the true groups of reports with those found.
func bCubed(truth, found []string) figures {
	inTruth, inFound, inBoth := map[string]float64{}, map[string]float64{}, map[[2]string]float64{}
	for i := range truth {
		inTruth[truth[i]]++
		inFound[found[i]]++
		inBoth[[2]string{truth[i], found[i]}]++
	}
	var f figures
	for i := range truth {
		both := inBoth[[2]string{truth[i], found[i]}]
		f.precision += both / inFound[found[i]] / float64(len(truth))
		f.recall += both / inTruth[truth[i]] / float64(len(truth))
	}
	f.f1 = 2 * f.precision * f.recall / (f.precision + f.recall)
	return f
}
