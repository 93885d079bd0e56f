package main

// standBack makes the process of a command that nobody waits for give way to all others on its machine: agents who wait for a
// service's answer are served first. One that shares its process with others stays as it is.
func (o output) standBack() {
	if !o.ownProcess {
		return
	}
	if err := giveWay(); err != nil {
		o.log.Warn("this process competes with others for processors", "cause", err)
	}
}
