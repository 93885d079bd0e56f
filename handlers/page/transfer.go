package page

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

// hashOf names a content.
func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// weakTag returns an ETag. It is weak, since the same content goes out compressed and plain.
func weakTag(hash string) string { return `W/"` + hash + `"` }

// compressor returns what sends answers compressed to those who accept that, from 1,024 bytes on: below, nothing is gained.
func compressor() (func(http.Handler) http.HandlerFunc, error) {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(1024))
	if err != nil {
		return nil, fmt.Errorf("set up compression: %w", err)
	}
	return wrap, nil
}
