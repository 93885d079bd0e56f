package handlers

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
)

// built is a document that is made once, when the service starts, and served from memory.
type built struct {
	mediaType string
	content   []byte
	etag      string
	policy    string // Content-Security-Policy; empty: none
}

func newBuilt(mediaType string, content []byte) *built {
	return &built{mediaType: mediaType, content: content, etag: etagOf(content)}
}

// serve answers with the document, or 304 where the caller has it.
func (b *built) serve(c *gin.Context) {
	header := c.Writer.Header()
	header.Set("Content-Type", b.mediaType)
	header.Set("ETag", b.etag)
	header.Set("Cache-Control", "no-cache") // keep it, but ask whether it still holds
	if b.policy != "" {
		header.Set("Content-Security-Policy", b.policy)
		header.Set("Referrer-Policy", "no-referrer")
	}
	http.ServeContent(c.Writer, c.Request, "", time.Time{}, bytes.NewReader(b.content))
}

// etagOf returns the tag of an answer's bytes.
func etagOf(content []byte) string {
	sum := sha256.Sum256(content)
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
}
