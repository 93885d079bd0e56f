package curator_test
import ("strings";"testing";"agentlore/curator";"agentlore/lore")
func BenchmarkClassify(b *testing.B) {
	o := lore.Observation{Summary: "An attacker can steal deposits by inflating the share price",
		Content: strings.Repeat("The vault does not check the first deposit, so a malicious user donates tokens before it. ", 22)}
	for b.Loop() {
		curator.Classify(o)
	}
}
