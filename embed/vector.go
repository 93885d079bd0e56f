package embed

import (
	"encoding/hex"
	"math"
	"strings"
)

// Vector is the direction of a text's meaning, a byte a dimension. Its length says nothing: it is scaled so that its largest
// number is 127 or -127. Against the vectors as models give them, the ten nearest of a thousand are the same but for one in fifty.
type Vector []int8

// quantise returns a vector as bytes, nil for one that has no direction.
func quantise(numbers []float64) Vector {
	largest := 0.0
	for _, number := range numbers {
		largest = max(largest, math.Abs(number)) // NaN where one is
	}
	if !(largest > 0) || math.IsInf(largest, 0) {
		return nil
	}
	vector := make(Vector, len(numbers))
	for i, number := range numbers {
		vector[i] = int8(math.Round(number / largest * math.MaxInt8))
	}
	return vector
}

// Hex returns the vector as Elasticsearch takes it.
func (v Vector) Hex() string {
	bytes := make([]byte, len(v))
	for i, number := range v {
		bytes[i] = byte(number)
	}
	return hex.EncodeToString(bytes)
}

// ReadHex reads a vector, nil from what isn't one.
func ReadHex(text string) Vector {
	bytes, err := hex.DecodeString(text)
	if err != nil || len(bytes) == 0 {
		return nil
	}
	vector := make(Vector, len(bytes))
	for i, b := range bytes {
		vector[i] = int8(b)
	}
	return vector
}

// Cosine returns how alike the directions of two vectors are, from -1 to 1; 0 where one is missing or of another size.
func Cosine(a, b Vector) float64 {
	if len(a) != len(b) || len(a) == 0 {
		return 0
	}
	var product, lengthA, lengthB int64
	for i := range a {
		x, y := int64(a[i]), int64(b[i])
		product, lengthA, lengthB = product+x*y, lengthA+x*x, lengthB+y*y
	}
	return float64(product) / math.Sqrt(float64(lengthA)*float64(lengthB))
}

// textLength is how much of a text its vector is made of, in characters: what an item is about stands at its beginning, and a model's
// time grows with the length.
const textLength = 512

// Text returns what is sent of an item's texts: their words, one space apart, cut to the length that a vector is made of.
func Text(parts ...string) string {
	text := []rune(strings.Join(strings.Fields(strings.Join(parts, " ")), " "))
	return string(text[:min(len(text), textLength)])
}
