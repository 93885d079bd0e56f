// Package scrubber removes secrets and personal data from text before anything is stored, logged or answered.
//
// A text is read through several views (as it came, folded, decoded, unwrapped). Rules emit spans on a
// view, spans are mapped back to the bytes that came, united, and each united span becomes one Marker.
// What is not part of a secret comes back byte for byte.
//
// The package does no I/O, keeps no state between calls, and its errors and reports never hold a value,
// a length, an offset or a hash of what was removed.
package scrubber
