package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"net/http"
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

// hashOf names a content.
func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// weakTag returns an ETag. It is weak, since the same content goes out compressed and plain.
func weakTag(hash string) string { return `W/"` + hash + `"` }
