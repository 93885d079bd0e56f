// Package admit decides who is served: it tells clients apart by their networks, lets a bounded number of requests work at
// once, and bounds the memory that requests take together.
package admit
