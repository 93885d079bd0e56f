package handlers

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"
)

// tag gives answers an ETag and answers 304 where the caller has the same one already. The tag is made of the answer's
// bytes: it saves the way to the caller, not the look into the store, and can't be stale.
func tag(ctx huma.Context, next func(huma.Context)) {
	c := humagin.Unwrap(ctx)
	held := &heldAnswer{ResponseWriter: c.Writer}
	c.Writer = held
	next(ctx)
	c.Writer = held.ResponseWriter
	held.send(ctx.Header("If-None-Match"))
}

// heldAnswer keeps an answer until its tag is known. Lists and items are small: 100 items of at most 256 KiB.
type heldAnswer struct {
	gin.ResponseWriter
	body bytes.Buffer
}

// Write keeps what is to be sent.
func (h *heldAnswer) Write(part []byte) (int, error) { return h.body.Write(part) }

// WriteString keeps what is to be sent.
func (h *heldAnswer) WriteString(part string) (int, error) { return h.body.WriteString(part) }

// WriteHeaderNow does nothing: the status may still become 304.
func (h *heldAnswer) WriteHeaderNow() {}

// send sends the answer, or 304 where the caller's tag is the answer's.
func (h *heldAnswer) send(known string) {
	if h.Status() == http.StatusOK {
		etag := etagOf(h.body.Bytes())
		h.Header().Set("ETag", etag)
		h.Header().Set("Cache-Control", "no-cache") // keep it, but ask whether it still holds
		if matches(known, etag) {
			h.Header().Del("Content-Type")
			h.Header().Del("Content-Length")
			h.WriteHeader(http.StatusNotModified)
			h.ResponseWriter.WriteHeaderNow()
			return
		}
	}
	h.ResponseWriter.WriteHeaderNow()
	_, _ = h.ResponseWriter.Write(h.body.Bytes()) // a caller that went away needs no answer
}

// matches reports whether an If-None-Match header names a tag. Comparison is weak (RFC 9110, section 13.1.2).
func matches(header, etag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.TrimPrefix(candidate, "W/") == strings.TrimPrefix(etag, "W/") {
			return true
		}
	}
	return false
}
