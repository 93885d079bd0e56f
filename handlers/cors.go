package handlers

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

// noSniff marks every answer as what its Content-Type says and nothing else: a browser that looked for itself could take stored
// text for a page.
func noSniff(c *gin.Context) { c.Header("X-Content-Type-Options", "nosniff") }

// Cross-origin rules: any origin may read, and write with a token. There are no cookies that a foreign page could ride on.
const (
	allowedMethods = "GET, POST, OPTIONS"
	allowedHeaders = "Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-ID, Mcp-Session-Id, MCP-Protocol-Version"
	exposedHeaders = "ETag, Location, Retry-After, RateLimit, RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-ID, WWW-Authenticate"
	preflightAge   = "86400" // a day, in seconds
)

// allowOrigins answers preflight requests and marks every other answer as readable by any origin.
func allowOrigins(c *gin.Context) {
	header := c.Writer.Header()
	header.Set("Access-Control-Allow-Origin", "*")
	if c.Request.Method == http.MethodOptions && c.GetHeader("Access-Control-Request-Method") != "" {
		header.Set("Access-Control-Allow-Methods", allowedMethods)
		header.Set("Access-Control-Allow-Headers", allowedHeaders)
		header.Set("Access-Control-Max-Age", preflightAge)
		c.AbortWithStatus(http.StatusNoContent)
		return
	}
	header.Set("Access-Control-Expose-Headers", exposedHeaders)
	c.Next()
}
