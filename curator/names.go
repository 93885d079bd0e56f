package curator

import (
	"regexp"
	"slices"
	"strings"

	"agentlore/lore"
)

// messageWords is how many words a message in quotes has at least to be a name: "timeout" is none.
const messageWords = 3

// maxMessage is how long such a message is at most, in bytes.
const maxMessage = 160

var (
	quotedMessage = regexp.MustCompile("`([^`]+)`" + `|"([^"]+)"|“([^”]+)”`)
	evmSelector   = regexp.MustCompile(`^0x[0-9a-f]{8}$`)
)

// namesIn returns what a title says that programs print: error names, selectors, numbers of weaknesses, and messages
// in quotes. Those that are in many reports name nothing: package knowledge leaves them out when it matches.
func namesIn(title string) []string {
	entities := lore.Entities(title)
	named := lore.NamedIn("", entities)
	isPanic := func(name string) bool { return strings.HasPrefix(name, "Panic(") }
	names := slices.DeleteFunc(slices.Concat(named.Errors, named.Weaknesses), isPanic)
	for _, entity := range entities {
		if evmSelector.MatchString(entity) {
			names = append(names, entity)
		}
	}
	for _, quoted := range quotedMessage.FindAllStringSubmatch(title, -1) {
		message := strings.TrimSpace(quoted[1] + quoted[2] + quoted[3])
		if len(strings.Fields(message)) >= messageWords && len(message) <= maxMessage {
			names = append(names, message)
		}
	}
	return names
}
