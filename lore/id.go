package lore

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/google/uuid"
)

// NewID returns a UUIDv7: unique without coordination and ordered by time, which keeps Elasticsearch's id index compact.
func NewID() string {
	return uuid.Must(uuid.NewV7()).String()
}

// DerivedID returns a UUIDv8 made from parts, so that the same content gets the same id wherever and whenever it is
// written. Parts are length-prefixed: ("ab", "c") and ("a", "bc") differ.
func DerivedID(parts ...string) string {
	hash := sha256.New()
	for _, part := range parts {
		hash.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part))))
		hash.Write([]byte(part))
	}
	var id uuid.UUID
	copy(id[:], hash.Sum(nil))
	id[6] = id[6]&0x0f | 0x80 // version 8: custom (RFC 9562, section 5.8)
	id[8] = id[8]&0x3f | 0x80 // the RFC 9562 variant
	return id.String()
}

// ValidID reports whether id has the canonical form of a UUID: 36 lowercase characters. Anything else can't be stored.
func ValidID(id string) bool {
	parsed, err := uuid.Parse(id)
	return err == nil && parsed.String() == id
}

// DatedID is DerivedID with a time, in milliseconds, in front, as UUIDv7 has it: derived ids of one day lie close
// together in Elasticsearch's id index instead of all over it.
func DatedID(at time.Time, parts ...string) string {
	id := uuid.MustParse(DerivedID(parts...))
	for i, milliseconds := 5, uint64(at.UnixMilli()); i >= 0; i, milliseconds = i-1, milliseconds>>8 {
		id[i] = byte(milliseconds)
	}
	return id.String()
}

// IDBytes returns the 16 bytes of an id, for stores that keep many. It fails on what ValidID refuses.
func IDBytes(id string) ([16]byte, error) {
	parsed, err := uuid.Parse(id)
	return parsed, err
}

// IDFromBytes returns the id that 16 bytes stand for.
func IDFromBytes(bytes [16]byte) string { return uuid.UUID(bytes).String() }
