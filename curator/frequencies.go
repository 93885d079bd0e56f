package curator

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync/atomic"
)

// Frequencies says in how many reports each term stands. It is a count-min sketch: two rows of counters, of which the
// lesser is a term's count. Its size (16 MiB) is the same for ten reports and for millions, its counters depend on the set
// of reports and not on their order, and it can only count too many. At 100,000 reports with 1.5 million terms, most of
// them in one report alone, a term shares both its counters with others in about one of four cases, mostly with a single
// report's: 1 becomes 2, which moves its rarity from 11.1 to 10.6. The zero value is ready to use; it is safe for
// concurrent use as long as nobody adds.
type Frequencies struct {
	reports int
	rows    [2][]uint32
	known   atomic.Pointer[rarities]
}

// rarities are those of terms of few reports, nearly all there are, by their count: logarithms are a large part of weighing.
type rarities struct {
	reports int // that they are for
	of      [1 << 12]float64
}

// sketchBits is the binary logarithm of the counters of a row.
const sketchBits = 21

// frequenciesVersion begins a stored sketch; it rises with any change of terms or of their places.
const frequenciesVersion = 1

// places returns where a term is counted.
func (f *Frequencies) places(id uint32) (first, second uint32) {
	return id >> (32 - sketchBits), (id * 0x9E3779B1) >> (32 - sketchBits)
}

// Add counts a report's terms, each once.
func (f *Frequencies) Add(p *Profile) {
	f.make()
	f.reports++
	for _, terms := range [][]term{p.all, p.names, p.lines, p.numbers, p.files} {
		for _, t := range terms {
			first, second := f.places(t.id)
			f.rows[0][first]++
			f.rows[1][second]++
		}
	}
}

func (f *Frequencies) make() {
	if f.rows[0] == nil {
		f.rows = [2][]uint32{make([]uint32, 1<<sketchBits), make([]uint32, 1<<sketchBits)}
	}
}

// Reports returns how many reports were counted.
func (f *Frequencies) Reports() int { return f.reports }

// count is how many reports have a term, or a few too many; 0 where none was counted.
func (f *Frequencies) count(id uint32) uint32 {
	if f.rows[0] == nil {
		return 0
	}
	first, second := f.places(id)
	return min(f.rows[0][first], f.rows[1][second])
}

// rarity is the inverse document frequency: ln((1+N) / (n+0.5)), which a term that no report has shares with one of one report.
func (f *Frequencies) rarity(id uint32) float64 {
	count := max(1, f.count(id))
	known := f.known.Load()
	if known == nil || known.reports != f.reports {
		known = &rarities{reports: f.reports}
		for i := range known.of {
			known.of[i] = rarityOf(f.reports, uint32(i))
		}
		f.known.Store(known)
	}
	if int(count) < len(known.of) {
		return known.of[count]
	}
	return rarityOf(f.reports, count)
}

func rarityOf(reports int, count uint32) float64 {
	return math.Log((1 + float64(reports)) / (0.5 + float64(count)))
}

// Encode returns the sketch as bytes: counters as varints with runs of zeros, packed.
func (f *Frequencies) Encode() ([]byte, error) {
	f.make()
	var out bytes.Buffer
	out.WriteByte(frequenciesVersion)
	packer, err := flate.NewWriter(&out, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	plain := binary.AppendUvarint(nil, uint64(f.reports))
	for _, row := range f.rows {
		for i := 0; i < len(row); {
			plain = binary.AppendUvarint(plain, uint64(row[i]))
			run := 1
			if row[i] == 0 {
				for i+run < len(row) && row[i+run] == 0 {
					run++
				}
				plain = binary.AppendUvarint(plain, uint64(run))
			}
			i += run
			if len(plain) > 1<<16 {
				if _, err := packer.Write(plain); err != nil {
					return nil, err
				}
				plain = plain[:0]
			}
		}
	}
	if _, err := packer.Write(plain); err != nil {
		return nil, err
	}
	if err := packer.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// DecodeFrequencies reads what Encode made. It fails on another version's bytes: count anew then.
func DecodeFrequencies(encoded []byte) (*Frequencies, error) {
	if len(encoded) == 0 || encoded[0] != frequenciesVersion {
		return nil, errors.New("frequencies of another version")
	}
	unpacked := &byteReader{Reader: flate.NewReader(bytes.NewReader(encoded[1:]))}
	f := &Frequencies{}
	f.make()
	reports, err := binary.ReadUvarint(unpacked)
	if err != nil {
		return nil, fmt.Errorf("frequencies: %w", err)
	}
	f.reports = int(reports)
	for _, row := range f.rows {
		for i := 0; i < len(row); i++ {
			count, err := binary.ReadUvarint(unpacked)
			if err != nil {
				return nil, fmt.Errorf("frequencies: %w", err)
			}
			row[i] = uint32(count)
			if count > 0 {
				continue
			}
			run, err := binary.ReadUvarint(unpacked)
			if err != nil || run == 0 || run > uint64(len(row)-i) {
				return nil, errors.Join(errors.New("frequencies are damaged"), err)
			}
			i += int(run) - 1
		}
	}
	return f, nil
}

// byteReader reads single bytes from a buffer of its own.
type byteReader struct {
	io.Reader
	buffer [1 << 14]byte
	at, of int
}

// ReadByte implements io.ByteReader.
func (r *byteReader) ReadByte() (byte, error) {
	if r.at == r.of {
		n, err := r.Read(r.buffer[:])
		if n == 0 {
			return 0, errors.Join(err, io.ErrUnexpectedEOF)
		}
		r.at, r.of = 0, n
	}
	r.at++
	return r.buffer[r.at-1], nil
}
