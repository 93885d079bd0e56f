// Package handlers is the HTTP interface: Huma's typed operations over Gin.
//
// operations.go is the table of contents: every operation with its path, auth, rate class and errors stands there once,
// and routes, middleware, OpenAPI and /api/schema are all made from it. One file a resource holds its handlers. Handlers
// return errors; problems.go alone turns them into answers. What they need of storage they name as small interfaces.
package handlers
