// Package page is the service's page for people: search, items, lists, figures and the portal, as HTML made on the server.
//
// The page knows the service as a client does: each view is made of requests to the HTTP interface, answered within the
// process. So validation, filters, limits and errors are the interface's own, and no query is written twice. Stored text
// is hostile: it reaches a browser through html/template alone, and no policy of the page lets a script of its run.
package page
