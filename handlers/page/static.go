package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"net/http"
	"time"
)

//go:embed static
var staticFiles embed.FS

// staticPath is where the page's own files are.
const staticPath = "/static/"

// readVersion returns the version of the page's own files together: browsers may keep them for ever under it.
func readVersion() (string, error) {
	entries, err := staticFiles.ReadDir("static")
	var all []byte
	for _, entry := range entries {
		content, _ := staticFiles.ReadFile("static/" + entry.Name()) // it is in the binary
		all = append(all, content...)
	}
	return hashOf(all), err
}

// serveFile answers with one of the page's own files.
func (p *Page) serveFile(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache")
	if r.URL.Query().Get("v") == p.version {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	w.Header().Set("ETag", weakTag(p.version))
	http.ServeFileFS(w, r, staticFiles, r.URL.Path)
}

// TagOf returns the ETag of a content. It is weak, since the same content goes out compressed and plain.
func TagOf(content []byte) string { return weakTag(hashOf(content)) }

func weakTag(hash string) string { return `W/"` + hash + `"` }

// SendTagged answers with a content under its TagOf, or 304 where the caller has it.
func SendTagged(w http.ResponseWriter, r *http.Request, tag string, content []byte) {
	w.Header().Set("Cache-Control", "no-cache") // keep it, but ask whether it still holds
	w.Header().Set("ETag", tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// hashOf names a content.
func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}
