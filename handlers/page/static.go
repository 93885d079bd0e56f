package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"time"

	"github.com/klauspost/compress/gzhttp"
)

//go:embed static
var staticFiles embed.FS

// staticPath is where the page's own files are.
const staticPath = "/static/"

// file is one of the page's own files.
type file struct {
	content   []byte
	mediaType string
	hash      string // of the content: its version
}

var mediaTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// readFiles reads the embedded files by name.
func readFiles() (map[string]file, error) {
	files := map[string]file{}
	entries, err := fs.ReadDir(staticFiles, "static")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		content, err := staticFiles.ReadFile("static/" + entry.Name())
		if err != nil {
			return nil, err
		}
		files[entry.Name()] = file{content, mediaTypes[path.Ext(entry.Name())], hashOf(content)}
	}
	return files, nil
}

// address returns where a file of this name is. It names the file's version, so that browsers may keep it for ever.
func address(files map[string]file, name string) string {
	return staticPath + name + "?v=" + files[name].hash
}

// serveFile answers with one of the page's own files.
func (p *Page) serveFile(name string) http.HandlerFunc {
	known := p.files[name]
	return func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Type", known.mediaType)
		header.Set("Cache-Control", "no-cache")
		if r.URL.Query().Get("v") == known.hash {
			header.Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		header.Set("ETag", weakTag(known.hash))
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(known.content))
	}
}

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
