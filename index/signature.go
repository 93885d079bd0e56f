package index

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentlore/lore"
	"agentlore/terms"
)

// SignatureField is the field, of the source alone, in which every searchable document has its text's signature. It is made here
// whenever the document is written.
const SignatureField = "signature"

// VectorField and VectorModelField hold the vector of a searchable document's text and the model that made it. They are filled in later:
// whatever changes the text takes them away.
const (
	VectorField      = "embedding"
	VectorModelField = "embedding_model"
)

// signedText is what of a document its signature is made of.
type signedText struct {
	Summary     string   `json:"summary"`
	Content     string   `json:"content"`
	Resolution  string   `json:"resolution"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
}

// sign returns the signature as it is stored, "" for a text without terms.
func (t signedText) sign() string {
	return base64.StdEncoding.EncodeToString(terms.Sign(t.Summary, append([]string{t.Content, t.Resolution, t.Description}, t.Tags...)...))
}

// signable is a document that says itself what its signature is made of: to read that back from its JSON takes long.
type signable interface{ signedText() signedText }

// encodeDocument returns a document as it is stored: of a searchable collection, with its signature.
func encodeDocument(alias string, document any) ([]byte, error) {
	if fields, read := document.(map[string]any); read { // it may have the signature and the vector of an earlier text
		fields = maps.Clone(fields)
		for _, made := range []string{SignatureField, VectorField, VectorModelField} {
			delete(fields, made)
		}
		document = fields
	}
	body, err := json.Marshal(document)
	if err != nil || !searchableAlias(alias) {
		return body, err
	}
	var text signedText
	if known, says := document.(signable); says {
		text = known.signedText()
	} else if err := json.Unmarshal(body, &text); err != nil {
		return nil, fmt.Errorf("read what to sign: %w", err)
	}
	if signature := text.sign(); signature != "" {
		body = fmt.Appendf(bytes.TrimSuffix(body, []byte("}")), `,"%s":"%s"}`, SignatureField, signature)
	}
	return body, nil
}

// Signed returns the fields that a change sets, with the signature of their text where they have one. A change that sets
// a summary sets all of the text.
func Signed(collection lore.Collection, set map[string]any) (map[string]any, error) {
	if _, has := set["summary"]; !has || !searchableAlias("-"+string(collection)) {
		return set, nil
	}
	body, err := json.Marshal(set)
	if err != nil {
		return nil, err
	}
	var text signedText
	if err := json.Unmarshal(body, &text); err != nil {
		return nil, fmt.Errorf("read what to sign: %w", err)
	}
	set = maps.Clone(set)
	set[SignatureField] = text.sign()
	return set, nil
}

// searchableAlias reports whether an alias is that of a collection that searches read.
func searchableAlias(alias string) bool {
	return slices.ContainsFunc(lore.SearchTypes(), func(searchable lore.SearchType) bool {
		return strings.HasSuffix(alias, "-"+string(searchable.Collection))
	})
}
