package index

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"agentlore/lore"
)

// vocabulary is what the corpus knows of the words of q.
type vocabulary struct {
	near      map[string][]suggestion
	count     map[string]int64 // documents with the word
	prefixes  map[string]int64 // documents with a word that begins so
	documents int64            // all documents
}

// suggested is Elasticsearch's answer to suggestions, as far as it is read: by the name of each suggester, what it found for each
// word of its text.
type suggested struct {
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
			if kind == askNear {
				v.near[word] = entry.Options
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

// wordMemory remembers which words the corpus knows well, and in how many documents they stand: most words of most
// searches, which then needn't be asked for again. It holds nothing but words of the corpus, which was scrubbed: a word
// that isn't there, as a secret in q would be, is never kept.
type wordMemory struct {
	documents func(context.Context, []lore.ItemType) (int64, error) // counts the documents of the types

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

type rememberedWord struct {
	documents int64
	at        time.Time
}

// How long a word and the number of documents are believed, and how many words are kept for each choice of types. A known
// word hardly becomes an unknown one, and how rare it is counts by its logarithm.
const (
	wordBelieved      = 10 * time.Minute
	documentsBelieved = time.Minute
	rememberedWords   = 50_000
)

// recall returns what is remembered of the words of a search, and leaves those that must be asked for in it.
// Errors: store_unavailable.
func (m *wordMemory) recall(ctx context.Context, asked *search) (vocabulary, error) {
	known := vocabulary{near: map[string][]suggestion{}, count: map[string]int64{}, prefixes: map[string]int64{}}
	if asked.query.Text == "" {
		return known, nil
	}
	memory := m.of(asked.query.Types)
	memory.recall(asked, known)
	var err error
	known.documents, err = m.countDocuments(ctx, asked.query.Types, memory)
	return known, err
}

// recall puts what is remembered into known, and the other words into the search.
func (m *typeMemory) recall(asked *search, known vocabulary) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	now := time.Now()
	for _, word := range asked.subject() {
		key := word.countKey()
		if _, seen := known.count[key]; key == "" || seen || slices.Contains(asked.unsure, key) {
			continue
		}
		if remembered, there := m.words[key]; there && now.Sub(remembered.at) < wordBelieved {
			known.count[key] = remembered.documents
		} else {
			asked.unsure = append(asked.unsure, key)
		}
	}
}

// countDocuments returns the number of documents. One search a minute counts them anew; the others don't wait for it, and
// while the store doesn't answer they go by the last count.
func (m *wordMemory) countDocuments(ctx context.Context, types []lore.ItemType, memory *typeMemory) (int64, error) {
	memory.mutex.Lock()
	last, counted := memory.documents, memory.counted
	fresh := time.Since(counted) < documentsBelieved
	if !fresh && !counted.IsZero() {
		memory.counted = time.Now()
	}
	memory.mutex.Unlock()
	if fresh {
		return last, nil
	}
	documents, err := m.documents(ctx, types)
	if err != nil {
		if counted.IsZero() {
			return 0, err
		}
		return last, nil
	}
	memory.mutex.Lock()
	defer memory.mutex.Unlock()
	memory.documents, memory.counted = documents, time.Now()
	return documents, nil
}

// remember keeps the words that the corpus has and that stand for nothing else.
func (m *wordMemory) remember(asked search, known vocabulary) {
	if len(asked.unsure) == 0 {
		return
	}
	memory := m.of(asked.query.Types)
	memory.mutex.Lock()
	defer memory.mutex.Unlock()
	now := time.Now()
	for _, word := range asked.unsure {
		if _, doubtful := asked.spelling[word]; doubtful || known.count[word] == 0 {
			continue
		}
		if len(memory.words) >= rememberedWords {
			clear(memory.words) // the common ones are back within seconds
		}
		memory.words[word] = rememberedWord{known.count[word], now}
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
