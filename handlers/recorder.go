package handlers

import "time"

// Recorder counts what the interface does, for metrics. Its arguments come from fixed lists and never hold what a client sent. Its
// methods are called from many goroutines and must not block.
type Recorder interface {
	// Started counts a request as under way until ended is called.
	Started() (ended func())
	// Request counts an answer; route is a pattern, code the problem's or empty.
	Request(method, route string, status int, code string, took time.Duration)
	// Shed counts a request refused because the service is full.
	Shed(reason string)
	// Searched counts a search by the layers that found something in a search's results.
	Searched(layers []string)
	// Scrubbed counts what was removed from a request, by kind.
	Scrubbed(counts map[string]int)
}

// nothing is a Recorder that counts nothing.
type nothing struct{}

func (nothing) Started() func()                                       { return func() {} }
func (nothing) Request(_, _ string, _ int, _ string, _ time.Duration) {}
func (nothing) Shed(string)                                           {}
func (nothing) Searched([]string)                                     {}
func (nothing) Scrubbed(map[string]int)                               {}
