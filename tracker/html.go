package tracker

import (
	"strings"

	"golang.org/x/net/html"
)

// fromHTML returns the text of a fragment of HTML as Markdown: blocks of code fenced, quotes marked, list items on
// lines of their own, links as their words and address.
func fromHTML(fragment string) string {
	var w htmlWriter
	tokens := html.NewTokenizer(strings.NewReader(fragment))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return strings.TrimSpace(w.text.String())
		case html.TextToken:
			w.words(string(tokens.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := tokens.TagName()
			tag, address := string(name), ""
			for more {
				var key, value []byte
				if key, value, more = tokens.TagAttr(); string(key) == "href" {
					address = string(value)
				}
			}
			w.begin(tag, address)
		case html.EndTagToken:
			name, _ := tokens.TagName()
			w.end(string(name))
		}
	}
}

// htmlWriter writes Markdown.
type htmlWriter struct {
	text    strings.Builder
	quotes  int // how deep in quotes
	struck  int // how deep in what is struck out
	code    bool
	address string
	linked  int // where the words of a link begin
}

// breaks are elements that begin a line of their own.
var breaks = map[string]string{
	"p":   "\n\n",
	"br":  "\n",
	"li":  "\n- ",
	"h1":  "\n\n# ",
	"h2":  "\n\n## ",
	"h3":  "\n\n### ",
	"h4":  "\n\n#### ",
	"div": "\n",
	"tr":  "\n",
	"ul":  "\n",
	"ol":  "\n",
	"hr":  "\n\n",
	"td":  " ",
	"th":  " ",
}

func (w *htmlWriter) begin(tag, address string) {
	switch tag {
	case "pre":
		w.code = true
		w.text.WriteString("\n\n```\n")
	case "s", "strike", "del":
		w.struck++
	case "blockquote", "aside": // Discourse quotes by aside
		w.quotes++
	case "code":
		if !w.code && w.struck == 0 {
			w.text.WriteByte('`')
		}
	case "a":
		w.address, w.linked = address, w.text.Len()
	}
	w.text.WriteString(breaks[tag])
	if strings.HasPrefix(breaks[tag], "\n") {
		w.text.WriteString(strings.Repeat("> ", w.quotes))
	}
}

func (w *htmlWriter) end(tag string) {
	switch tag {
	case "pre":
		w.code = false
		if !strings.HasSuffix(w.text.String(), "\n") {
			w.text.WriteByte('\n')
		}
		w.text.WriteString("```\n")
	case "s", "strike", "del":
		w.struck = max(0, w.struck-1)
	case "blockquote", "aside":
		w.quotes = max(0, w.quotes-1)
		w.text.WriteString("\n\n")
	case "code":
		if !w.code && w.struck == 0 {
			w.text.WriteByte('`')
		}
	case "a":
		if w.address != "" && strings.Contains(w.address, "://") && w.text.String()[w.linked:] != w.address {
			w.text.WriteString(" (" + w.address + ")")
		}
		w.address = ""
	case "p":
		w.text.WriteString("\n")
	}
}

func (w *htmlWriter) words(text string) {
	if w.struck > 0 {
		return
	}
	if w.code {
		w.text.WriteString(text)
		return
	}
	if w.quotes > 0 {
		text = strings.ReplaceAll(text, "\n", "\n"+strings.Repeat("> ", w.quotes))
	}
	w.text.WriteString(text)
}
