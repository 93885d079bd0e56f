package handlers

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"agentlore/handlers/page"
	"agentlore/lore"
)

// servePeople adds the page for people to the router. Its addresses are its own, so that those of the interface answer JSON
// whatever a client accepts; / alone is both.
func (s *server) servePeople(router *gin.Engine) error {
	people, err := page.New(page.Config{API: router, Version: Version, Clean: s.Scrubber.Clean, Log: s.Log, Now: s.Now})
	if err != nil {
		return err
	}
	s.people = people
	for _, route := range people.Routes() {
		router.Handle(route.Method, strings.NewReplacer("{", ":", "}", "").Replace(route.Path), func(c *gin.Context) {
			requestOf(c.Request.Context()).route = route.Path
			for _, part := range c.Params {
				c.Request.SetPathValue(part.Key, part.Value)
			}
			route.Handler(c.Writer, c.Request)
		})
	}
	return nil
}

// start answers for /: the page for people where a browser asks, and links for everybody else.
func (s *server) start(c *gin.Context) {
	if page.WantsHTML(c.Request) {
		s.people.Home(c.Writer, c.Request)
		return
	}
	c.Header("Vary", "Accept")
	c.Data(http.StatusOK, "application/json", []byte(links))
}

// noRoute answers for paths that don't exist: browsers get a page that helps, everybody else a problem.
func (s *server) noRoute(c *gin.Context) {
	if c.Request.Method == http.MethodGet && page.WantsHTML(c.Request) {
		s.people.NotFound(c.Writer, c.Request)
		return
	}
	s.writeProblem(c, &lore.Problem{Code: lore.CodeNotFound, Detail: "there is no such path; GET /api/schema lists all there are"})
}
