package handlers

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"agentlore/lore"
)

type schemaBody struct {
	Service      string                     `json:"service" doc:"Name of this service"`
	Version      string                     `json:"version" doc:"Version of the interface"`
	Purpose      string                     `json:"purpose" doc:"What it is for"`
	Auth         string                     `json:"auth" doc:"How to authenticate"`
	Endpoints    []endpoint                 `json:"endpoints" nullable:"false" doc:"Every endpoint"`
	Documents    []documentEntry            `json:"documents" nullable:"false" doc:"What describes the service itself, and pages for people"`
	MCP          string                     `json:"mcp" doc:"Where clients of the Model Context Protocol connect: the main operations as tools"`
	Schemas      map[string]*huma.Schema    `json:"schemas" doc:"JSON Schemas that the endpoints refer to by $ref"`
	Categories   []lore.CategoryUse         `json:"categories" nullable:"false" doc:"Categories of a submission"`
	SearchLayers map[string]lore.LayerState `json:"search_layers" doc:"Search layers: active, or reserved where the operator has not set it up"`
	RateLimits   map[string]string          `json:"rate_limits" doc:"Requests per client address, by class: number, seconds"`
	Budgets      map[string]budgetBody      `json:"budgets" doc:"What requests may cost: stored, of what you write; read, of what reads make the service and its store handle; exported"`
}

// budgetBody is a budget as an agent reads it.
type budgetBody struct {
	Bytes    int64 `json:"bytes" doc:"Bytes of a principal without standing"`
	Standing int64 `json:"bytes_with_standing" doc:"Bytes of a principal with standing"`
	Network  int64 `json:"times_by_address" doc:"How many times as many a client address has"`
	Seconds  int   `json:"seconds" doc:"For how long"`
}

// endpoint is one operation as an agent reads it.
type endpoint struct {
	Method     string          `json:"method" doc:"HTTP method"`
	Path       string          `json:"path" doc:"Path"`
	Purpose    string          `json:"purpose" doc:"What it does"`
	Auth       string          `json:"auth" enum:"none,bearer" doc:"bearer: send Authorization: Bearer with your token"`
	RateClass  string          `json:"rate_class,omitempty" doc:"Its class in rate_limits; absent: not limited"`
	Parameters []parameter     `json:"parameters,omitempty" doc:"Path, query and header parameters"`
	Input      *huma.Schema    `json:"input,omitempty" doc:"JSON Schema of the body"`
	Output     *huma.Schema    `json:"output,omitempty" doc:"JSON Schema of the answer"`
	Status     int             `json:"status" doc:"Status of success"`
	Example    any             `json:"example,omitempty" doc:"A body to send, or a path with its query"`
	Errors     []endpointError `json:"errors" nullable:"false" doc:"What can go wrong"`
}

type parameter struct {
	Name     string       `json:"name" doc:"Name"`
	In       string       `json:"in" enum:"path,query,header" doc:"Where it goes"`
	Required bool         `json:"required,omitempty" doc:"Whether it must be there"`
	Purpose  string       `json:"purpose,omitempty" doc:"What it does"`
	Schema   *huma.Schema `json:"schema" doc:"JSON Schema of its value"`
}

type endpointError struct {
	Status int       `json:"status" doc:"HTTP status"`
	Code   lore.Code `json:"code" doc:"Stable code in the problem document"`
}

// schema answers with what was described when the service started: writing it takes 35 ms.
func (s *server) schema(context.Context, *struct{}) (*madeOutput, error) {
	return &madeOutput{"application/json", s.described}, nil
}

// describe returns the table of operations and the types behind it, so that neither can be forgotten.
func (s *server) describe() schemaBody {
	openAPI, semantic := s.api.OpenAPI(), lore.LayerActive
	if s.Semantic == nil {
		semantic = lore.LayerReserved
	}
	body := schemaBody{
		Service: "agentlore", Version: Version,
		Purpose:    openAPI.Info.Description,
		Auth:       "Reading needs no token. POST /intake/register gives one; send it as Authorization: Bearer. It is shown once.",
		MCP:        mcpPath,
		Schemas:    openAPI.Components.Schemas.Map(),
		Categories: lore.Categories(), SearchLayers: searchLayers(semantic), RateLimits: map[string]string{}, Budgets: map[string]budgetBody{}, Documents: s.documents,
	}
	for class, limit := range s.limits {
		body.RateLimits[string(class)] = limit.newcomer.Formatted
	}
	for _, b := range s.budgets {
		body.Budgets[b.name] = budgetBody{b.newcomer.Limit, b.standing.Limit, b.network, int(b.newcomer.Period.Seconds())}
	}
	for _, o := range s.operations {
		body.Endpoints = append(body.Endpoints, describeEndpoint(o, s.inOpenAPI[o.ID]))
	}
	return body
}

// describeEndpoint puts the table's entry and Huma's description of its types together.
func describeEndpoint(o operation, described *huma.Operation) endpoint {
	e := endpoint{
		Method: o.Method, Path: o.Path, Purpose: o.Purpose, Auth: "none", RateClass: string(o.Class), Status: max(o.Status, http.StatusOK),
		Example: o.Example, Errors: []endpointError{},
	}
	if o.Bearer {
		e.Auth = bearerScheme
	}
	for _, code := range o.codes() {
		e.Errors = append(e.Errors, endpointError{statusOf(code), code})
	}
	for _, p := range described.Parameters {
		e.Parameters = append(e.Parameters, parameter{p.Name, p.In, p.Required, p.Description, p.Schema})
	}
	if described.RequestBody != nil {
		e.Input = described.RequestBody.Content["application/json"].Schema
	}
	for status, response := range described.Responses {
		for _, media := range response.Content {
			if strings.HasPrefix(status, "2") {
				e.Output = media.Schema
			}
		}
	}
	return e
}
