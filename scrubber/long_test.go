package scrubber

import "os"

// long tells whether the full random sets run: AGENTLORE_LONG=1.
func long() bool { return os.Getenv("AGENTLORE_LONG") != "" }
