package curator

import (
	"regexp"
	"strings"

	"agentlore/lore"
)

// repository finds a link to a repository or to code in it.
var repository = regexp.MustCompile(`https?://(?:www\.)?(?:github\.com|gitlab\.com|raw\.githubusercontent\.com)/([\w.-]+/[\w.-]+)`)

// Project returns which project a report is about, in lower case: of an import, the folder of its ref, as in audits/vault-2024 of
// audits/vault-2024/17; else the repository that it links to first. Empty: it doesn't tell.
func Project(r lore.Report) string {
	if parts := strings.SplitN(r.Ref, "/", 3); len(parts) == 3 {
		return strings.ToLower(parts[0] + "/" + parts[1])
	}
	for _, text := range []string{r.Summary, r.Content, r.Resolution} {
		if found := repository.FindStringSubmatch(text); found != nil {
			return strings.ToLower(strings.TrimSuffix(strings.TrimRight(found[1], "."), ".git"))
		}
	}
	return ""
}
