package page

import (
	"fmt"
	"html/template"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// functions are what templates call.
func functions() template.FuncMap {
	return template.FuncMap{
		"number": number, "date": date, "iso": iso, "words": words, "percent": percent, "percentOf": percentOf, "plural": plural,
		"decimal": decimal, "join": strings.Join, "prose": prose, "line": inline, "steps": steps, "voiceOf": voiceOf, "sentence": sentence,
		"missing": missing, "tierName": tierName, "tiers": func() any { return tiers },
		"find":    func(parameter string, value any) string { return home(url.Values{}, parameter, fmt.Sprint(value)) },
		"snippet": func(name, value string) pair { return pair{name, value} },
		"nav": func(section, own, href, label string) choice {
			return choice{Label: label, Href: href, Chosen: section == own}
		},
	}
}

// number writes an integer, of whatever type, with its thousands apart.
func number(n any) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// decimal writes a number with at most two digits behind the point.
func decimal(n float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(n, 'f', 2, 64), "0"), ".")
}

// percent writes a share as per cent.
func percent(share float64) string { return strconv.FormatFloat(share*100, 'f', 0, 64) + "%" }

// percentOf is percent with what a drawing needs, kept between 0 and 100.
func percentOf(share float64) string {
	return strconv.FormatFloat(min(max(share, 0), 1)*100, 'f', 2, 64) + "%"
}

// date writes a day.
func date(at time.Time) string { return at.UTC().Format("2 Jan 2006") }

// stamp writes a moment.
func stamp(at time.Time) string { return at.UTC().Format("2 Jan 2006, 15:04 UTC") }

// iso writes a moment for machines.
func iso(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// words writes a name of the interface, as in created_at, in words.
func words(name any) string {
	return strings.NewReplacer("_", " ", "-", " ").Replace(fmt.Sprint(name))
}

// plural writes a count with its noun.
func plural(n any, one, many string) string {
	if count := number(n); count != "1" {
		return count + " " + many
	}
	return "1 " + one
}

// shortID writes the end of an id, which tells items apart better than its beginning.
func shortID(id string) string { return id[max(0, len(id)-8):] }

// webAddress returns an address that may be a link: http or https with a host, and nothing in it that fools a reader about where it
// leads. Anything else is shown as text.
func webAddress(text string) string {
	parsed, err := url.Parse(strings.TrimSpace(text))
	if err != nil || (parsed.Scheme != "https" && parsed.Scheme != "http") || parsed.Host == "" || parsed.User != nil {
		return ""
	}
	return parsed.String()
}

// removed says how many secrets of which kinds were removed.
func removed(counts map[string]int) string {
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, number(counts[kind])+" × "+words(kind))
	}
	return strings.Join(parts, ", ")
}
