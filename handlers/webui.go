package handlers

import (
	"context"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"agentlore/handlers/page"
	"agentlore/lore"
)

// maxFormBytes bounds a form. A browser writes a sign of a log that is no letter or digit in three bytes.
const maxFormBytes = 3 * maxBodyBytes

// serveWebUI adds the pages for people to the router. Their addresses are their own; / and the addresses of items lead browsers there.
func (s *server) serveWebUI(router *gin.Engine) (err error) {
	s.webUI, err = page.New(page.Config{API: router, Turn: s.pageTurn, PublicURL: s.PublicURL, Version: Version, Scrub: s.Scrubber.Text, Log: s.Log, Now: s.Now})
	if err != nil {
		return err
	}
	for _, route := range s.webUI.Routes() {
		router.Handle(route.Method, strings.NewReplacer("{", ":", "}", "").Replace(route.Path), func(c *gin.Context) {
			for _, part := range c.Params {
				c.Request.SetPathValue(part.Key, part.Value)
			}
			if _, err := s.readBody(c, maxFormBytes); err != nil {
				s.writeProblem(c, err)
				return
			}
			route.Handler(c.Writer, c.Request)
		})
	}
	return nil
}

// toPage sends browsers from an item's address, as feeds and answers give it, to the item's page.
func toPage(c *gin.Context) {
	if c.Request.Method != http.MethodGet && c.Request.Method != http.MethodHead {
		return
	}
	there := page.ItemPage(c.Request.URL.Path, c.Request.URL.RawQuery)
	if there == "" {
		return
	}
	c.Writer.Header().Add("Vary", "Accept")
	if page.WantsHTML(c.Request) {
		c.Redirect(http.StatusSeeOther, there)
		c.Abort()
	}
}

// pageTurn counts a page as one read, and returns when it is its turn among the reads: what it asks needs no other. Where it gets no turn,
// all that it asks is refused.
func (s *server) pageTurn(ctx context.Context) (leave func()) {
	if limit, limited := s.limits[classRead]; limited {
		s.countOnce(ctx, classRead, limit)
	}
	known := requestOf(ctx)
	known.turn = s.turnOf(classRead, known.client)
	_, _ = known.turn.begin(ctx, s)
	return known.turn.end
}

// start answers for /: the page for people where a browser asks, and links for all others.
func (s *server) start(c *gin.Context) {
	if page.WantsHTML(c.Request) {
		s.webUI.Home(c.Writer, c.Request)
		return
	}
	c.Header("Vary", "Accept")
	c.Data(http.StatusOK, "application/json", []byte(links))
}

// noRoute answers for paths that don't exist: browsers get a page that helps, all others a problem.
func (s *server) noRoute(c *gin.Context) {
	if c.Request.Method == http.MethodGet && page.WantsHTML(c.Request) {
		s.webUI.NotFound(c.Writer, c.Request)
		return
	}
	s.writeProblem(c, &lore.Problem{Code: lore.CodeNotFound, Detail: "there is no such path; GET /api/schema lists all there are"})
}

// noMethod answers for methods that a path doesn't have; Gin has set the Allow header.
func (s *server) noMethod(c *gin.Context) {
	s.writeProblem(c, &lore.Problem{Code: lore.CodeMethodNotAllowed, Detail: "this path has other methods; the Allow header lists them"})
}
