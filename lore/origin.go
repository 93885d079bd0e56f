package lore

import (
	"regexp"
	"slices"
	"strings"
)

// protocolsByRef says which protocol a report is about by where it came from: the beginning of its ref, and the protocol or, where that
// is empty, the number of the part of the ref that names it.
var protocolsByRef = []struct {
	prefix, protocol string
	part             int
}{
	{"aave-aip/", "aave", 0}, {"synthetix/", "synthetix", 0}, {"ibc/", "ibc", 0},
	{"commit/", "", 2}, {"docs/", "", 1}, // commit/OWNER/REPOSITORY/..., docs/OWNER/...
}

var (
	// datedPart is the part of a ref that names an audit, behind that of the auditor: the month or day, and the protocol.
	datedPart = regexp.MustCompile(`(?:^|([^/]*)/)20\d\d-[01]\d(?:-[0-3]\d)?-([^/]+)`)
	// auditWords end an audit's name and are of no protocol.
	auditWords = regexp.MustCompile(`(?:[-_](?:contest|judging|findings|update|mitigation|review|audit|invitational|security|report|v?\d+(?:[._]\d+)*))+$`)
	// judgedPart is the part of a ref in which a contest's judges put a severity.
	judgedPart = regexp.MustCompile(`/\d+-([HM])(?:/|$)`)
)

// protocolTag and severityTag begin tags that say it outright.
const (
	protocolTag = "protocol-"
	severityTag = "severity-"
)

// ProtocolOf returns which protocol or program a submission is about, in small letters; "" where neither its tags nor its ref say.
func ProtocolOf(tags []string, ref string) string {
	if named := taggedWith(tags, protocolTag); named != "" {
		return named
	}
	for _, rule := range protocolsByRef {
		if !strings.HasPrefix(ref, rule.prefix) {
			continue
		}
		if parts := strings.Split(ref, "/"); rule.part > 0 && rule.part < len(parts) {
			return strings.ToLower(parts[rule.part])
		}
		return rule.protocol
	}
	found := datedPart.FindStringSubmatch(ref)
	if found == nil {
		return ""
	}
	name := strings.ReplaceAll(strings.ToLower(found[2]), " ", "-")
	name = strings.TrimPrefix(name, strings.ToLower(found[1])+"-")
	if short := auditWords.ReplaceAllString(name, ""); short != "" {
		name = short
	}
	return name
}

// SeverityOf returns how severe those who judged a submission called it, critical to informational; "" where neither its tags nor
// its ref say.
func SeverityOf(tags []string, ref string) string {
	known := []string{string(SeverityCritical), string(SeverityHigh), string(SeverityMedium), string(SeverityLow), "informational"}
	if tagged := taggedWith(tags, severityTag); slices.Contains(known, tagged) {
		return tagged
	}
	if judged := judgedPart.FindStringSubmatch(ref); judged != nil {
		return map[string]string{"H": string(SeverityHigh), "M": string(SeverityMedium)}[judged[1]]
	}
	return ""
}

// taggedWith returns what follows a prefix in the first tag that has it.
func taggedWith(tags []string, prefix string) string {
	for _, tag := range tags {
		if value, has := strings.CutPrefix(strings.ReplaceAll(tag, ":", "-"), prefix); has {
			return value
		}
	}
	return ""
}

// Named is what a submission names, by kind.
type Named struct {
	Errors     []string `json:"error,omitempty"`    // custom errors, codes and panics
	Standards  []string `json:"standard,omitempty"` // EIP-20 stands for ERC-20 as well: they are one document
	Weaknesses []string `json:"weakness,omitempty"` // SWC, CVE and GHSA
	Packages   []string `json:"package,omitempty"`  // name@version
	Chains     []string `json:"chain,omitempty"`    // by their names in chains.txt, the submission's own ecosystem among them
}

var (
	numbered = regexp.MustCompile(`^([A-Z]+)-[0-9A-Z]`)
	camel    = regexp.MustCompile(`^[A-Z][a-z0-9]+[A-Z][A-Za-z0-9]*$`)
)

// NamedIn sorts normalised entities by kind. Addresses, hashes and selectors are left out.
func NamedIn(ecosystem string, entities []string) (named Named) {
	add := func(list *[]string, value string) {
		if value != "" && !slices.Contains(*list, value) {
			*list = append(*list, value)
		}
	}
	add(&named.Chains, ecosystem)
	for _, entity := range entities {
		number := numbered.FindStringSubmatch(entity)
		switch {
		case number != nil && (number[1] == "EIP" || number[1] == "ERC"):
			add(&named.Standards, "EIP"+entity[3:])
		case number != nil && slices.Contains([]string{"SWC", "CVE", "GHSA"}, number[1]):
			add(&named.Weaknesses, entity)
		case number != nil:
			add(&named.Standards, entity)
		case strings.Contains(entity, "@"):
			add(&named.Packages, entity)
		case strings.Contains(entity, ":"):
			if !strings.Contains(entity, "/") { // that is an asset of the chain
				add(&named.Chains, NormaliseEcosystem(entity))
			}
		case strings.HasPrefix(entity, "Panic("), errorNamePattern.MatchString(entity),
			camel.MatchString(entity) && (len(entity) < 32 || !strings.ContainsAny(entity, "0123456789")): // else an address
			add(&named.Errors, entity)
		}
	}
	return named
}

var (
	// issueAddress is the address of an issue: https://github.com/acme/qorvex/issues/41, and GitLab's with /-/ before issues.
	issueAddress = regexp.MustCompile(`^https?://[^/]+/(.+?)/(?:-/)?(?:issues|pull|discussions|merge_requests|work_items)/(\d+)`)
	// pageAddress is any other address.
	pageAddress = regexp.MustCompile(`^https?://([^?#]+)`)
)

// runbooks begins the refs of pages of an operator's own.
const runbooks = "runbooks/"

// OriginOf returns in short where an imported observation came from, for people: acme/qorvex#41 of the address of an issue, a page's
// address without its scheme, a runbook's project and file; of other refs themselves.
func OriginOf(ref string) string {
	if found := issueAddress.FindStringSubmatch(ref); found != nil {
		return found[1] + "#" + found[2]
	}
	if found := pageAddress.FindStringSubmatch(ref); found != nil {
		return strings.TrimSuffix(found[1], "/")
	}
	return strings.TrimPrefix(ref, runbooks)
}

// RepositoryOf returns the repository of an issue with an address, in small letters, and whether the ref is an address at all: that of a
// page of a forum names no project.
func RepositoryOf(ref string) (repository string, isAddress bool) {
	if found := issueAddress.FindStringSubmatch(ref); found != nil {
		return strings.ToLower(found[1]), true
	}
	return "", pageAddress.MatchString(ref)
}
