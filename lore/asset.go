package lore

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// AssetStatus says whether an asset is in use.
type AssetStatus string

// The states of an asset. Sunset is what its makers ended, exploited what was robbed and did not come back; imported catalogs say
// deprecated of either.
const (
	AssetActive     AssetStatus = "active"
	AssetDeprecated AssetStatus = "deprecated"
	AssetSunset     AssetStatus = "sunset"
	AssetExploited  AssetStatus = "exploited"
)

// Asset is an entry of the catalog of ecosystem projects: a chain, token, protocol, wallet, bridge and so on.
type Asset struct {
	ID          string      `json:"id" scrub:"-" format:"uuid" doc:"Id, derived from ecosystem, type and name: it never changes"`
	Name        string      `json:"name" doc:"Name"`
	Type        string      `json:"type" doc:"A lowercase slug: chain, token, protocol, wallet, bridge, dex, oracle, lending, tool and so on"`
	Ecosystem   []string    `json:"ecosystem" nullable:"false" doc:"Ecosystems it belongs to, lowercase"`
	Description string      `json:"description,omitempty" doc:"What it is"`
	URL         string      `json:"url,omitempty" doc:"Official address"`
	Tags        []string    `json:"tags" nullable:"false" doc:"Tags, lowercase"`
	Addresses   []string    `json:"addresses" nullable:"false" doc:"Contract and account addresses"`
	Entities    []string    `json:"entities" nullable:"false" doc:"What it names exactly, normalised"`
	Status      AssetStatus `json:"status" enum:"active,deprecated,sunset,exploited,withdrawn,flagged" doc:"Whether it is in use; sunset: its makers ended it; exploited: it was robbed and did not come back; withdrawn and flagged: what operators decided"`
	CatalogFacts
	Warnings  []ItemWarning `json:"warnings,omitempty" doc:"What safety flags say against it; absent where there is nothing"`
	Origin    string        `json:"origin,omitempty" doc:"Catalog it came from"`
	Summary   string        `json:"summary" doc:"Name and description, cut at a word"`
	CreatedAt time.Time     `json:"created_at" doc:"When it was stored, UTC"`
}

// CatalogFacts are what the catalog of the reference library says of an asset beyond what imported catalogs have. Each is absent where it
// isn't known.
type CatalogFacts struct {
	Symbol      string       `json:"symbol,omitempty" doc:"Symbol of a token, or of a chain's currency" example:"USDC"`
	Also        []string     `json:"also,omitempty" doc:"Former and short names"`
	ChainID     string       `json:"chain_id,omitempty" doc:"CAIP-2 id of a chain" example:"eip155:8453"`
	Decimals    int          `json:"decimals,omitempty" doc:"Decimals of a chain's currency" example:"18"`
	TestnetOf   string       `json:"testnet_of,omitempty" doc:"CAIP-2 id of the chain that a chain tests"`
	Explorer    string       `json:"explorer,omitempty" doc:"Block explorer of a chain"`
	Since       string       `json:"since,omitempty" doc:"Day or month from which on it has its status" example:"2023-07-06"`
	Deployments []Deployment `json:"deployments,omitempty" doc:"Contracts of a token by chain"`
	Reference   *Reference   `json:"reference,omitempty" doc:"Entry of the reference library; absent from imported catalogs"`
}

// Deployment is a token's contract on a chain.
type Deployment struct {
	Chain    string `json:"chain" doc:"CAIP-2 id of the chain" example:"eip155:8453"`
	Address  string `json:"address" doc:"Address of the contract, or of the mint" example:"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"`
	Decimals int    `json:"decimals" doc:"Decimals of its amounts" example:"6"`
}

// CatalogEntry is what an importer says of an asset.
type CatalogEntry struct {
	Name        string     `json:"name" minLength:"1" maxLength:"128" doc:"Name"`
	Type        string     `json:"type" minLength:"1" maxLength:"32" doc:"A slug such as chain, token or bridge"`
	Ecosystem   StringList `json:"ecosystem,omitempty" doc:"One ecosystem or several"`
	Description string     `json:"description,omitempty" maxLength:"2000" doc:"What it is; public catalogs write up to 1,500 characters"`
	URL         string     `json:"url,omitempty" maxLength:"500" doc:"Official address"`
	Tags        []string   `json:"tags,omitempty" maxItems:"20" nullable:"false" doc:"Tags"`
	Addresses   []string   `json:"addresses,omitempty" maxItems:"100" nullable:"false" doc:"Contract and account addresses"`
	Origin      string     `json:"origin,omitempty" maxLength:"128" doc:"Catalog it comes from"`
}

// TypeChain is the type of assets that are chains.
const TypeChain = "chain"

var slugPattern = regexp.MustCompile(`^[a-z0-9]+([-_][a-z0-9]+)*$`)

// maxAddressLength holds the longest address in use: Cardano's Byron addresses reach 114 characters.
const maxAddressLength = 128

// webSchemes are those of addresses that a reader may follow. Some catalogs leave theirs out.
var webSchemes = []string{"https", "http", ""}

// Check returns what the schema's tags can't say: the type's form, item lengths, NUL characters.
func (e CatalogEntry) Check() []FieldError {
	faults := checkPrintable("/name", e.Name)
	if e.Type != "" && !slugPattern.MatchString(NormaliseWord(e.Type)) {
		faults = append(faults, FieldError{Pointer: "/type", Code: "not_a_slug", Detail: "must be a slug: letters and digits, parts joined by - or _"})
	}
	faults = append(faults, checkText("/description", e.Description)...)
	faults = append(faults, checkText("/url", e.URL)...)
	if address, err := url.Parse(strings.TrimSpace(e.URL)); err != nil || !slices.Contains(webSchemes, address.Scheme) {
		faults = append(faults, FieldError{Pointer: "/url", Code: "invalid", Detail: "must be a web address, with https:// or http://"})
	}
	faults = append(faults, checkText("/origin", e.Origin)...)
	faults = append(faults, checkEcosystems("/ecosystem", e.Ecosystem)...)
	faults = append(faults, checkItems("/tags", e.Tags, MaxTagLength)...)
	return append(faults, checkItems("/addresses", e.Addresses, maxAddressLength)...)
}

// Normalise trims texts, lowercases type and tags and gives each ecosystem its one name. Addresses keep their case: some chains' mean
// something.
func (e *CatalogEntry) Normalise() {
	e.Name = strings.TrimSpace(e.Name)
	e.Type = NormaliseWord(e.Type)
	e.Description = strings.TrimSpace(e.Description)
	e.URL = strings.TrimSpace(e.URL)
	e.Origin = strings.TrimSpace(e.Origin)
	e.Ecosystem = normaliseList(e.Ecosystem, NormaliseEcosystem)
	e.Tags = normaliseList(e.Tags, NormaliseWord)
	e.Addresses = normaliseList(e.Addresses, strings.TrimSpace)
}

// AssetID returns the id of the asset that an entry describes. Ecosystems are compared without their order.
func (e CatalogEntry) AssetID() string {
	ecosystems := slices.Sorted(slices.Values(e.Ecosystem))
	return DerivedID("asset", strings.Join(ecosystems, ","), e.Type, LegacyNameKey(e.Name))
}

// Asset returns the catalog's asset for a normalised entry.
func (e CatalogEntry) Asset(now time.Time) Asset {
	summary := e.Name
	if e.Description != "" {
		summary += ": " + e.Description
	}
	text := slices.Concat([]string{e.Name, e.Description, e.URL}, e.Addresses, e.Tags)
	if e.Type == TypeChain {
		text = append(text, chainIDs(e.Name)...)
	}
	return Asset{
		ID: e.AssetID(), Name: e.Name, Type: e.Type, Ecosystem: e.Ecosystem, Description: e.Description, URL: e.URL,
		Tags: e.Tags, Addresses: e.Addresses, Entities: Entities(text...), Status: AssetActive,
		Origin: e.Origin, Summary: CutAtWord(summary, MaxSummaryLength), CreatedAt: now,
	}
}

// StringList reads a JSON string or an array of strings, since public catalogs write both.
type StringList []string

// UnmarshalJSON accepts "a" as well as ["a", "b"], and null as none.
func (l *StringList) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		var one string
		if err := json.Unmarshal(data, &one); err != nil {
			return err
		}
		*l = StringList{one}
		return nil
	}
	var many []string
	if err := json.Unmarshal(data, &many); err != nil {
		return fmt.Errorf("neither a string nor a list of strings")
	}
	*l = many
	return nil
}
