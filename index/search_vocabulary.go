package index

import (
	"slices"
	"strings"
	"sync"
	"time"

	"agentlore/lore"
)

// vocabulary is what the corpus knows of the words of q.
type vocabulary struct {
	near      map[string][]suggestion // words one edit away
	far       map[string][]suggestion // words two edits away, where none is nearer
	count     map[string]int64        // documents with the word
	prefixes  map[string]int64        // documents with a word that begins so
	documents int64                   // all documents
	counted   time.Time               // when they were counted; zero: never
}

// suggested is Elasticsearch's answer to suggestions, as far as it is read: how many documents there are, where that was asked for,
// and by the name of each suggester, what it found for each word of its text.
type suggested struct {
	Hits struct {
		Total struct {
			Value int64 `json:"value"`
		} `json:"total"`
	} `json:"hits"`
	Suggest map[string][]struct {
		Text    string       `json:"text"`
		Options []suggestion `json:"options"`
	} `json:"suggest"`
}

// read adds the answer to suggestions.
func (v vocabulary) read(answer suggested) {
	for name, entries := range answer.Suggest {
		kind, _, _ := strings.Cut(name, "-")
		for _, entry := range entries {
			word := strings.Replace(entry.Text, strangeLetter, "", 1)
			switch kind {
			case askNear:
				v.near[word] = entry.Options
				continue
			case askFar:
				v.far[word] = entry.Options
				continue
			}
			itself := slices.IndexFunc(entry.Options, func(option suggestion) bool { return option.Text == word })
			counts := v.count
			if kind == askPrefixCount {
				counts = v.prefixes
			}
			if counts[word] = 0; itself >= 0 {
				counts[word] = entry.Options[itself].Documents
			}
		}
	}
}

// wordMemory remembers which words the corpus knows, in how many documents they stand, and what those in doubt may stand for: most
// words of most searches, which then needn't be asked for again. It holds nothing but words of the corpus, which was scrubbed: a word
// that isn't there, as a secret in q would be, is never kept.
type wordMemory struct {
	mutex sync.Mutex
	types map[string]*typeMemory
}

// typeMemory is what is remembered of searches for some types.
type typeMemory struct {
	mutex     sync.Mutex
	words     map[string]rememberedWord
	documents int64
	counted   time.Time
}

// rememberedWord is in how many documents of how many a word stood.
type rememberedWord struct {
	documents, of int64
	at            time.Time
	instead       respelt // what one in doubt may stand for besides itself; of another word nothing
	beginning     int64   // documents with a word that begins so
}

// How long a word and the number of documents are believed, and how many words are kept for each choice of types. A known
// word hardly becomes an unknown one, and how rare it is counts by its logarithm, so that a word is believed for a day, unless
// the corpus has grown or shrunk by half since. To ask for words takes a quarter of a search's time, and of one search a
// second four in five have a word that nobody searched for in ten minutes, one in eight one that nobody did in most of a day.
const (
	wordBelieved      = 24 * time.Hour
	wordGrowth        = 1.5
	documentsBelieved = time.Minute
	rememberedWords   = 50_000
)

// believed reports whether a word still is what it was, now that there are so many documents.
func (w rememberedWord) believed(now time.Time, documents int64) bool {
	before, after := float64(w.of), float64(documents)
	return now.Sub(w.at) < wordBelieved && after <= before*wordGrowth && before <= after*wordGrowth
}

// recall returns what is remembered of the words of a search, and leaves their spelling in it and those that must be asked for.
func (m *wordMemory) recall(asked *search) vocabulary {
	memory := m.of(asked.query.Types)
	memory.mutex.Lock()
	defer memory.mutex.Unlock()
	known := vocabulary{
		near: map[string][]suggestion{}, far: map[string][]suggestion{}, count: map[string]int64{}, prefixes: map[string]int64{},
		documents: memory.documents, counted: memory.counted,
	}
	now := time.Now()
	asked.spelling = spelling{}
	keys := asked.countKeys()
	asked.doubted = telling(keys)
	for _, key := range keys {
		if remembered, there := memory.words[key]; there && remembered.believed(now, memory.documents) {
			known.count[key] = remembered.documents
			if remembered.instead.kept && asked.doubts(key) {
				known.prefixes[key], asked.spelling[key] = remembered.beginning, remembered.instead
			}
		} else {
			asked.unsure = append(asked.unsure, strings.Clone(key)) // the memory keeps it, and must not keep all of q with it
		}
	}
	return known
}

// remember keeps the number of documents, and the words that the corpus has.
func (m *wordMemory) remember(asked search, known vocabulary) {
	memory := m.of(asked.query.Types)
	memory.mutex.Lock()
	defer memory.mutex.Unlock()
	if known.counted.After(memory.counted) {
		memory.documents, memory.counted = known.documents, known.counted
	}
	now := time.Now()
	for _, word := range asked.unsure {
		if known.count[word] == 0 || correctable(word) && !asked.doubts(word) { // what else it may stand for wasn't asked
			continue
		}
		if len(memory.words) >= rememberedWords {
			clear(memory.words) // the common ones are back soon
		}
		memory.words[word] = rememberedWord{
			documents: known.count[word], of: known.documents, at: now, instead: asked.spelling[word], beginning: known.prefixes[word],
		}
	}
}

// of returns the memory of searches for some types.
func (m *wordMemory) of(types []lore.ItemType) *typeMemory {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	slices.Sort(names)
	name := strings.Join(names, " ")
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.types == nil {
		m.types = map[string]*typeMemory{}
	}
	if m.types[name] == nil {
		m.types[name] = &typeMemory{words: map[string]rememberedWord{}}
	}
	return m.types[name]
}
