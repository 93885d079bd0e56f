package main

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of the import format, in characters.
const (
	maxSummary = 500
	maxText    = 20_000
)

// mixer makes new observations by recombining the sentences of real ones. Each takes a real one as its shape and puts
// another sentence of about the same length and the same field in the place of every one of its sentences: vocabulary,
// term frequencies, and lengths of sentences, fields and documents stay those of the real text, while no two documents
// are alike. Its memory is that of the real observations, however many are made.
type mixer struct {
	real      []observation
	seed      uint64
	starts    lengthClasses // beginnings of summaries
	ends      lengthClasses // ends of summaries
	sentences lengthClasses // of contents
	solutions lengthClasses // sentences of resolutions
}

// lengthClasses holds pieces of text by the binary logarithm of their length in bytes.
type lengthClasses [24][]string

func (l *lengthClasses) add(piece string) {
	class := lengthClass(piece)
	l[class] = append(l[class], piece)
}

// like returns a piece about as long as the given one.
func (l *lengthClasses) like(piece string, random *rand.Rand) string {
	class := l[lengthClass(piece)]
	return class[random.IntN(len(class))]
}

func lengthClass(piece string) int { return min(bits.Len(uint(len(piece))), 23) }

// newMixer takes the real observations apart.
func newMixer(real []observation, seed uint64) *mixer {
	m := &mixer{real: real, seed: seed}
	for _, one := range real {
		start, end := halves(one.Summary)
		m.starts.add(start)
		m.ends.add(end)
		for sentence := range sentences(one.Content) {
			m.sentences.add(sentence)
		}
		for sentence := range sentences(one.Resolution) {
			m.solutions.add(sentence)
		}
	}
	return m
}

// firstTime is the time of the first observation of a corpus; each next one is a minute younger, so that a time tells
// which they are.
var firstTime = time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)

// timeOf returns the time of an observation, counted from 0.
func timeOf(number int) time.Time { return firstTime.Add(time.Duration(number) * time.Minute) }

// observation makes the observation with a number. It depends on the number, the seed and the real ones alone, so that
// a longer corpus begins with the shorter one.
func (m *mixer) observation(number int) observation {
	random := rand.New(rand.NewPCG(m.seed, uint64(number)))
	shape := m.real[random.IntN(len(m.real))]
	start, end := halves(shape.Summary)
	made := observation{
		Source: shape.Source, Category: shape.Category, Tags: shape.Tags, Ecosystem: shape.Ecosystem,
		Summary:    clip(m.starts.like(start, random)+m.ends.like(end, random), maxSummary),
		Content:    m.mix(&m.sentences, shape.Content, random),
		Resolution: m.mix(&m.solutions, shape.Resolution, random),
		CreatedAt:  timeOf(number).Format(time.RFC3339),
		Ref:        fmt.Sprintf("bench/%d/%08d", m.seed, number),
	}
	return made
}

func (m *mixer) mix(pool *lengthClasses, shape string, random *rand.Rand) string {
	var text strings.Builder
	last := " "
	for sentence := range sentences(shape) {
		// What ended a text elsewhere has no space behind it; without one, two words would become a new one.
		if end := last[len(last)-1]; end != ' ' && end != '\n' {
			text.WriteByte(' ')
		}
		last = pool.like(sentence, random)
		text.WriteString(last)
	}
	return clip(text.String(), maxText)
}

// halves cuts a summary at the space that is nearest to its middle; the space goes with the end.
func halves(summary string) (start, end string) {
	middle := len(summary) / 2
	cut := strings.LastIndexByte(summary[:middle], ' ')
	if next := strings.IndexByte(summary[middle:], ' '); next >= 0 && (cut < 0 || next < middle-cut) {
		cut = middle + next
	}
	if cut <= 0 {
		return summary, ""
	}
	return summary[:cut], summary[cut:]
}

// sentences yields the parts of a text that end with a full stop and a space, or with a line; joined, they are the text.
func sentences(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for begin, at := 0, 0; begin < len(text); at++ {
			ended := at+1 >= len(text) || text[at] == '\n' || text[at] == ' ' && at > begin && strings.IndexByte(".!?", text[at-1]) >= 0
			if ended {
				if !yield(text[begin : at+1]) {
					return
				}
				begin = at + 1
			}
		}
	}
}

// clip cuts a text that is too long.
func clip(text string, characters int) string {
	if len(text) <= characters || utf8.RuneCountInString(text) <= characters {
		return text
	}
	return string([]rune(text)[:characters])
}
