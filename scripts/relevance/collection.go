package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"agentlore/lore"
)

// document is one document of a collection.
type document struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// query is one question with the grades of the documents that answer it, by id.
type query struct {
	ID     string `json:"id"`
	Text   string `json:"text"`
	grades map[string]int
}

// collection is a labelled collection. Its documents are read where they are needed.
type collection struct {
	name    string
	folder  string
	queries []query
	asked   map[string]bool // texts of all its questions, also of those that are not drawn
}

// load reads a collection's queries, at most as many as asked for.
func load(o options, name string) (collection, error) {
	c := collection{name: name, folder: filepath.Join(o.data, "search", name), asked: map[string]bool{}}
	grades, err := readGrades(filepath.Join(c.folder, "qrels.tsv"))
	if err != nil {
		return c, err
	}
	err = readLines(filepath.Join(c.folder, "queries.jsonl.gz"), func(one query) error {
		one.Text = shorten(one.Text)
		c.asked[one.Text] = true
		if one.grades = grades[one.ID]; one.grades != nil {
			c.queries = append(c.queries, one)
		}
		return nil
	})
	random := rand.New(rand.NewPCG(5, 0))
	random.Shuffle(len(c.queries), func(i, j int) { c.queries[i], c.queries[j] = c.queries[j], c.queries[i] })
	if o.queries > 0 {
		c.queries = c.queries[:min(len(c.queries), o.queries)]
	}
	return c, err
}

// maxQuery is the longest q that the interface takes, in characters.
const maxQuery = 512

// shorten cuts a question that is longer than q may be.
func shorten(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxQuery {
		text = lore.CutAtWord(text, maxQuery-1)
	}
	return text
}

// readGrades reads query, document and grade of each line.
func readGrades(path string) (map[string]map[string]int, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	grades := map[string]map[string]int{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) != 3 {
			return nil, fmt.Errorf("%s: %q has no three fields", path, lines.Text())
		}
		grade, err := strconv.Atoi(fields[2])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if grades[fields[0]] == nil {
			grades[fields[0]] = map[string]int{}
		}
		grades[fields[0]][fields[1]] = grade
	}
	return grades, lines.Err()
}

// observation is a line of the import format.
type observation struct {
	Source   string `json:"source"`
	Summary  string `json:"summary"`
	Content  string `json:"content,omitempty"`
	Category string `json:"category"`
	Ref      string `json:"ref"`
}

// maxContent is the longest content of an observation, in bytes.
const maxContent = 20_000

// observe makes a document an observation: the title is its summary, what doesn't fit in goes before the text.
func (d document) observe() observation {
	title, text := strings.TrimSpace(d.Title), strings.TrimSpace(d.Text)
	if title == "" {
		title, text = text, ""
	}
	summary, rest := title, ""
	if runes := []rune(title); len(runes) > lore.MaxSummaryLength {
		summary = strings.TrimSuffix(lore.CutAtWord(title, lore.MaxSummaryLength), "…")
		rest = strings.TrimSpace(strings.TrimPrefix(title, summary))
	}
	if summary == "" {
		summary = "(empty)"
	}
	content := strings.TrimSpace(rest + "\n" + text)
	return observation{
		Source: "relevance", Summary: summary, Content: strings.ToValidUTF8(content[:min(len(content), maxContent)], ""),
		Category: string(lore.CategoryGeneral), Ref: d.ID,
	}
}

// write writes the collection in the import format and returns how many documents it has.
func (c collection) write(to io.Writer) (count int, err error) {
	buffered := bufio.NewWriterSize(to, 1<<20)
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)
	err = readLines(filepath.Join(c.folder, "corpus.jsonl.gz"), func(one document) error {
		count++
		return encoder.Encode(one.observe())
	})
	if err != nil {
		return count, err
	}
	return count, buffered.Flush()
}

// readLines reads a compressed file of one JSON object a line.
func readLines[T any](path string, each func(T) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for decoder := json.NewDecoder(plain); ; {
		var one T
		switch err := decoder.Decode(&one); err {
		case nil:
		case io.EOF:
			return nil
		default:
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := each(one); err != nil {
			return err
		}
	}
}
