// Package telemetry is what an operator sees of a running service from outside: Prometheus metrics and OpenTelemetry traces.
//
// Nothing that a client sent gets into either. A metric's labels take values from fixed lists: the patterns of routes,
// problem codes, kinds of secrets. Of a trace, exporting lets through only the attributes of one list; the paths, queries,
// header values and error texts that the instrumentation libraries collect are left behind (see clean).
package telemetry
