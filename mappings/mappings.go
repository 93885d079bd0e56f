// Package mappings holds the settings and mappings of every index as JSON, one file a collection, and puts them together:
// shared analysis, the fields that every searchable collection has, and the collection's own. It is embedded, so that a
// binary and its mappings can't disagree.
//
// A search reads several collections at once, and a field that one of them lacks fails that shard's suggester without a
// word: that is why the searchable fields stand in one file, searchable.json, and not in four.
package mappings

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"
)

//go:embed *.json
var files embed.FS

// The files that are parts of others and no collections of their own.
const (
	analysisFile   = "analysis.json"
	searchableFile = "searchable.json"
	// descriptionsFile describes each field, for readers of an index's mapping.
	descriptionsFile = "descriptions.json"
)

// Definition is what an index is created with, but for shards and replicas, which are the operator's.
type Definition struct {
	// Name is the collection's name, as in "submissions".
	Name string
	// Version counts changes that need the documents to be indexed anew.
	Version int
	// Hash is the SHA-256 of settings and mappings, in hex: it tells an outdated index even if a version was forgotten.
	Hash string
	// Internal indices are in no analyst's role, but for the events and the search log.
	Internal bool
	// Lookup indices can be joined in ES|QL: their index.mode is lookup, which has one shard.
	Lookup bool
	// Settings are the index settings: analysis and similarity.
	Settings map[string]any
	// Mappings are the mappings, strict, with version and hash in _meta.
	Mappings map[string]any
}

// collectionFile is the form of a collection's file.
type collectionFile struct {
	Version    int  `json:"version"`
	Searchable bool `json:"searchable"`
	Internal   bool `json:"internal"`
	Lookup     bool `json:"lookup"`
	// Text is the field that stands behind the merged one, text, in this collection; empty: no other. Elasticsearch counts how
	// rare a word is field by field, so a collection of short entries with a field of its own doesn't make the words of prose
	// look rare in the other collections.
	Text       string         `json:"text"`
	Properties map[string]any `json:"properties"`
}

// Dimensions is the size of vectors unless an operator chooses another model.
const Dimensions = 384

// All returns the definition of every index, public and internal, by name.
func All() (map[string]Definition, error) { return Sized(Dimensions) }

// Sized is All for vectors of so many dimensions.
func Sized(dimensions int) (map[string]Definition, error) {
	names, err := fs.Glob(files, "*.json")
	if err != nil {
		return nil, err
	}
	all := make(map[string]Definition, len(names))
	for _, name := range names {
		if name == analysisFile || name == searchableFile || name == descriptionsFile {
			continue
		}
		definition, err := read(strings.TrimSuffix(path.Base(name), ".json"), dimensions)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all[definition.Name] = definition
	}
	return all, nil
}

// read puts one collection's definition together.
func read(name string, dimensions int) (Definition, error) {
	var own, searchable collectionFile
	var settings map[string]any
	if err := decode(name+".json", &own); err != nil {
		return Definition{}, err
	}
	if err := decode(analysisFile, &settings); err != nil {
		return Definition{}, err
	}
	properties := own.Properties
	if own.Searchable {
		if err := decode(searchableFile, &searchable); err != nil {
			return Definition{}, err
		}
		properties = searchable.Properties
		if vectors, is := properties["embedding"].(map[string]any); is {
			vectors["dims"] = dimensions
		}
		for field, mapping := range own.Properties {
			if _, taken := properties[field]; taken {
				return Definition{}, fmt.Errorf("field %q stands in %s already", field, searchableFile)
			}
			properties[field] = mapping
		}
	}
	if own.Text != "" {
		putBehind(properties, mergedField, own.Text)
	}
	mapping := map[string]any{"dynamic": "strict", "properties": properties}
	hash, err := hashOf(settings, mapping)
	if err != nil {
		return Definition{}, err
	}
	described, err := describe(properties)
	if err != nil {
		return Definition{}, err
	}
	mapping = maps.Clone(mapping)
	mapping["_meta"] = map[string]any{"collection": name, "version": own.Version, "hash": hash, "fields": described}
	return Definition{Name: name, Version: own.Version, Hash: hash, Internal: own.Internal, Lookup: own.Lookup, Settings: settings, Mappings: mapping}, nil
}

// mergedField is the field that holds all words of an item, for searches and analysts.
const mergedField = "text"

// putBehind gives a field another name, under which others are copied to it, and leaves an alias in its place, so that queries
// for the old name still work.
func putBehind(properties map[string]any, field, name string) {
	properties[name], properties[field] = properties[field], map[string]any{"type": "alias", "path": name}
	for _, mapping := range properties {
		targets, _ := mapping.(map[string]any)["copy_to"].([]any)
		for i, target := range targets {
			if target == field {
				targets[i] = name
			}
		}
	}
}

// Descriptions returns what each field means that an analyst may meet, by its path.
func Descriptions() (map[string]string, error) {
	var descriptions map[string]string
	err := decode(descriptionsFile, &descriptions)
	return descriptions, err
}

// Fields returns the fields of mapped properties by their paths, objects by what is in them, with their mappings.
func Fields(properties map[string]any) map[string]map[string]any {
	fields := map[string]map[string]any{}
	for name, mapping := range properties {
		mapping, _ := mapping.(map[string]any)
		if inner, object := mapping["properties"].(map[string]any); object {
			for path, field := range Fields(inner) {
				fields[name+"."+path] = field
			}
			continue
		}
		fields[name] = mapping
		twins, _ := mapping["fields"].(map[string]any)
		for path, field := range Fields(twins) {
			fields[name+"."+path] = field
		}
	}
	return fields
}

// describe returns the descriptions of an index's fields. They stand in _meta and not in the hash: a better word for a
// field is no reason to index anew. (A field's own "meta" holds 50 characters.)
func describe(properties map[string]any) (map[string]string, error) {
	descriptions, err := Descriptions()
	if err != nil {
		return nil, err
	}
	described := map[string]string{}
	for path := range Fields(properties) {
		if text := descriptions[path]; text != "" {
			described[path] = text
		}
	}
	return described, nil
}

// hashOf hashes the JSON form, whose object keys encoding/json sorts.
func hashOf(parts ...any) (string, error) {
	text, err := json.Marshal(parts)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// decode reads an embedded file into v, refusing members it doesn't know where v is a struct.
func decode(name string, v any) error {
	file, err := files.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	decoder := json.NewDecoder(file)
	decoder.DisallowUnknownFields()
	return decoder.Decode(v)
}
