// Package demo holds the demo's files: what README.md beside it describes.
package demo

import "embed"

// Files are the demo's files, of one JSON object a line.
//
//go:embed *.jsonl
var Files embed.FS
