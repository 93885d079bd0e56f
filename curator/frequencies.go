package curator

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"

	"agentlore/lore"
)

// Frequencies says in how many reports each term stands. It is a count-min sketch: two rows of counters, of which the
// lesser is a term's count. Its size (16 MiB) is the same for ten reports and for millions, its counters depend on the set
// of reports and not on their order, and it can only count too many. At 100,000 reports with 1.5 million terms, most of
// them in one report alone, a term shares both its counters with others in about one of four cases, mostly with a single
// report's: 1 becomes 2, which moves its rarity from 11.1 to 10.6. The zero value is ready to use; it is safe for
// concurrent use as long as nothing adds to it.
type Frequencies struct {
	reports int
	rows    [2][]uint32
}

// sketchBits is the binary logarithm of the counters of a row.
const sketchBits = 21

// places returns where a term is counted.
func (f *Frequencies) places(id uint32) [2]uint32 {
	const spread = 0x9E3779B1 // Knuth's multiplicative hashing
	return [2]uint32{id >> (32 - sketchBits), id * spread >> (32 - sketchBits)}
}

// Add counts a report's terms, each once.
func (f *Frequencies) Add(p *Profile) {
	f.allocate()
	f.reports++
	count := func(id uint32) {
		for row, place := range f.places(id) {
			f.rows[row][place]++
		}
	}
	for _, t := range p.terms {
		count(t.id)
	}
	if p.project != 0 {
		count(p.project)
		for _, t := range p.terms {
			count(inProject(p.project, t.id))
		}
	}
}

func (f *Frequencies) allocate() {
	if f.rows[0] == nil {
		f.rows = [2][]uint32{make([]uint32, 1<<sketchBits), make([]uint32, 1<<sketchBits)}
	}
}

// Reports returns how many reports were counted.
func (f *Frequencies) Reports() int { return f.reports }

// projectPrior is for how many reports of a project the corpus as a whole counts.
const projectPrior = 100.0

// inProject is the id of a term in the reports of a project.
func inProject(project, id uint32) uint32 {
	const spread = 0x85EBCA6B // of MurmurHash3
	return (project ^ id) * spread
}

// count returns in how many reports a term stands; where none is counted, 0.
func (f *Frequencies) count(id uint32) float64 {
	if f.rows[0] == nil {
		return 0
	}
	at := f.places(id)
	return float64(min(f.rows[0][at[0]], f.rows[1][at[1]]))
}

// rarity is the inverse document frequency of a term in the reports of a project: the logarithm of one by the share of the project's reports that have
// it, where the corpus counts for projectPrior reports more. So a name that belongs to one project tells little of two reports on that
// project, however few other projects have it. Where the project is unknown, the corpus alone counts: ln((1+N) / (n+0.5)), which a term
// that no report has shares with one of one report.
func (f *Frequencies) rarity(project, id uint32) float64 {
	share := (max(1, f.count(id)) + 0.5) / (1 + float64(f.reports))
	if project != 0 {
		share = (f.count(inProject(project, id)) + projectPrior*share) / (f.count(project) + projectPrior)
	}
	return max(0, -math.Log(share))
}

// rarest is about the greatest rarity that a term of a project's reports has.
func (f *Frequencies) rarest(project uint32) float64 {
	all := math.Log(float64(f.reports) + 2)
	if project == 0 {
		return all
	}
	return min(all, math.Log(f.count(project)+projectPrior+2))
}

// Encode returns the sketch as bytes.
func (f *Frequencies) Encode() ([]byte, error) {
	f.allocate()
	var out bytes.Buffer
	packer, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	for _, part := range []any{int64(f.reports), f.rows[0], f.rows[1]} {
		if err := binary.Write(packer, binary.LittleEndian, part); err != nil {
			return nil, err
		}
	}
	if err := packer.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// DecodeFrequencies reads what Encode made.
func DecodeFrequencies(encoded []byte) (*Frequencies, error) {
	unpacker, err := gzip.NewReader(bytes.NewReader(encoded))
	if err != nil {
		return nil, fmt.Errorf("frequencies: %w", err)
	}
	f := &Frequencies{}
	f.allocate()
	var reports int64
	err = errors.Join(binary.Read(unpacker, binary.LittleEndian, &reports), binary.Read(unpacker, binary.LittleEndian, f.rows[0]),
		binary.Read(unpacker, binary.LittleEndian, f.rows[1]))
	if f.reports = int(reports); err != nil {
		return nil, fmt.Errorf("frequencies: %w", err)
	}
	return f, nil
}

// repository finds a link to a repository or to code in it.
var repository = regexp.MustCompile(`https?://(?:www\.)?(?:github\.com|gitlab\.com|raw\.githubusercontent\.com)/([\w.-]+/[\w.-]+)`)

// Project returns which project a report is about, in lower case: of an import, the repository of the issue that it was, or the folder of
// its ref, as in audits/vault-2024 of audits/vault-2024/17; else the repository that it links to first. Empty: it doesn't tell.
func Project(r lore.Report) string {
	named, isAddress := lore.RepositoryOf(r.Ref)
	if named != "" {
		return named
	}
	if parts := strings.SplitN(r.Ref, "/", 3); len(parts) == 3 && !isAddress {
		return strings.ToLower(parts[0] + "/" + parts[1])
	}
	for _, text := range []string{r.Summary, r.Content, r.Resolution} {
		if found := repository.FindStringSubmatch(text); found != nil {
			return strings.ToLower(strings.TrimSuffix(strings.TrimRight(found[1], "."), ".git"))
		}
	}
	return ""
}
