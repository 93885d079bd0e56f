package deploy

import (
	"os"
	"os/exec"
	"testing"
)

// Prometheus' own tool reads the rules, and plays the cases of rules_test.yml. The tag leaves out what finds targets in clouds: half of
// its build.
func TestRules(t *testing.T) {
	for _, arguments := range [][]string{{"check", "rules", "rules.yml"}, {"test", "rules", "rules_test.yml"}} {
		command := exec.Command("go", append([]string{"tool", "promtool"}, arguments...)...)
		command.Dir, command.Env = "prometheus", append(os.Environ(), "GOFLAGS=-tags=remove_all_sd", "CGO_ENABLED=0")
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", arguments, err, output)
		}
	}
}
