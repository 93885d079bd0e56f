package curator

// referencePrior is for how many owners with standing the library itself counts: its facts were looked up, and an operator
// imported them. Three failures without a success bring a unit below a half.
const referencePrior = 3

// ReferenceConfidence is the confidence of a unit of the reference library that agents have said nothing of.
var ReferenceConfidence = referenceConfidence(0, 0, 0)

// referenceConfidence is Confidence of a unit of the reference library: worked, failed and unsafe as there.
func referenceConfidence(worked, failed, unsafe int) float64 {
	return hundredths(Confidence(worked, referencePrior, failed, unsafe))
}
