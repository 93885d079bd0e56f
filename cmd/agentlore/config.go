package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"agentlore/cache"
	"agentlore/curator"
	"agentlore/index"
	"agentlore/scrubber"
	"agentlore/webhook"
)

// storeConfig says where Elasticsearch is and what the indices are called.
type storeConfig struct {
	ElasticsearchURL          []string      `name:"elasticsearch-url" env:"ELASTICSEARCH_URL" default:"http://127.0.0.1:9200" help:"One or more base URLs of Elasticsearch, comma-separated."`
	ElasticsearchUsername     string        `name:"elasticsearch-username" env:"ELASTICSEARCH_USERNAME" help:"User name."`
	ElasticsearchPassword     string        `name:"elasticsearch-password" env:"ELASTICSEARCH_PASSWORD" help:"Password; better given by file."`
	ElasticsearchPasswordFile string        `name:"elasticsearch-password-file" env:"ELASTICSEARCH_PASSWORD_FILE" help:"File that holds the password." placeholder:"FILE"`
	ElasticsearchAPIKey       string        `name:"elasticsearch-api-key" env:"ELASTICSEARCH_API_KEY" help:"API key, instead of user name and password."`
	ElasticsearchAPIKeyFile   string        `name:"elasticsearch-api-key-file" env:"ELASTICSEARCH_API_KEY_FILE" help:"File that holds the API key." placeholder:"FILE"`
	ElasticsearchCA           string        `name:"elasticsearch-ca" env:"ELASTICSEARCH_CA" help:"PEM file of the certificate authority that signed Elasticsearch's certificate." placeholder:"FILE"`
	ElasticsearchTimeout      time.Duration `name:"elasticsearch-timeout" env:"AGENTLORE_ELASTICSEARCH_TIMEOUT" default:"10s" help:"The longest that one call to Elasticsearch may take."`
	IndexPrefix               string        `name:"index-prefix" env:"AGENTLORE_INDEX_PREFIX" default:"agentlore" help:"Begins every index and Redis key: lowercase letters, digits and _."`
	Shards                    string        `name:"shards" env:"AGENTLORE_SHARDS" placeholder:"N,NAME=N" help:"Primary shards of new collections, like 3 or submissions=6,links=4; 1 by default. scale changes those there are."`
	Dimensions                int           `name:"embeddings-dimensions" env:"AGENTLORE_EMBEDDINGS_DIMENSIONS" default:"384" help:"Size of the embeddings model's vectors; after a change run migrate."`
	Replicas                  string        `name:"replicas" env:"AGENTLORE_REPLICAS" placeholder:"N" help:"Replicas of new collections: a number, or auto, the default: one where there is a second node. scale changes those there are."`
}

// curationConfig says by which rules reports are curated.
type curationConfig struct {
	CurationRules      string `name:"curation-rules" env:"AGENTLORE_CURATION_RULES" help:"JSON file that changes single weights and thresholds of curation; docs/operations/configure.md names them." placeholder:"FILE"`
	MaliciousAddresses string `name:"malicious-addresses" env:"AGENTLORE_MALICIOUS_ADDRESSES" help:"File of known malicious addresses, one a line: reports that name one are flagged." placeholder:"FILE"`
}

// linkConfig says under which address others reach the service.
type linkConfig struct {
	PublicURL string `name:"public-url" env:"AGENTLORE_PUBLIC_URL" help:"Address of the service in feeds, pages and webhooks, like https://agentlore.example.org; by default that of each request." placeholder:"URL"`
}

// public returns the address without a slash at its end; "" where none is set.
func (c linkConfig) public() (string, error) {
	address := strings.TrimRight(c.PublicURL, "/")
	if address == "" {
		return "", nil
	}
	parsed, err := url.Parse(address)
	if fault := checkURL("AGENTLORE_PUBLIC_URL", address, "https://agentlore.example.org"); fault != nil {
		return "", fault
	}
	if err != nil || parsed.Path+parsed.RawQuery+parsed.Fragment != "" || parsed.User != nil {
		return "", errors.New("AGENTLORE_PUBLIC_URL must have no path, query or password: the service answers at the root of its host")
	}
	return address, nil
}

// webhookConfig says where webhooks may be sent.
type webhookConfig struct {
	Ports webhook.Ports `name:"webhook-ports" env:"AGENTLORE_WEBHOOK_PORTS" help:"Ports beside 443 that webhooks may be sent to, comma-separated." placeholder:"PORT"`
}

// rules reads both files, naming every fault at once.
func (c curationConfig) rules() (rules curator.Rules, malicious curator.AddressList, err error) {
	var faults [4]error
	rules = curator.DefaultRules()
	text, err := optionalFile("AGENTLORE_CURATION_RULES", c.CurationRules)
	if faults[0] = err; err == nil && text != nil {
		if rules, err = curator.ReadRules(bytes.NewReader(text)); err != nil {
			faults[1] = fmt.Errorf("AGENTLORE_CURATION_RULES: %w", err)
		}
	}
	text, err = optionalFile("AGENTLORE_MALICIOUS_ADDRESSES", c.MaliciousAddresses)
	if faults[2] = err; err == nil && text != nil {
		if malicious, err = curator.ReadAddressList(bytes.NewReader(text)); err != nil {
			faults[3] = fmt.Errorf("AGENTLORE_MALICIOUS_ADDRESSES: %w", err)
		}
	}
	return rules, malicious, errors.Join(faults[:]...)
}

// redisConfig says where Redis is, and how long a request waits for it.
type redisConfig struct {
	RedisURL          string `name:"redis-url" env:"REDIS_URL" help:"Redis, like redis://127.0.0.1:6379/0; without it look-ups and limits are kept in process, which is right for one replica."`
	RedisPassword     string `name:"redis-password" env:"REDIS_PASSWORD" help:"Redis's password, instead of one in the URL; better given by file."`
	RedisPasswordFile string `name:"redis-password-file" env:"REDIS_PASSWORD_FILE" help:"File that holds the password." placeholder:"FILE"`
	RedisCA           string `name:"redis-ca" env:"REDIS_CA" help:"PEM file of the certificate authority that signed the certificate of a rediss:// server." placeholder:"FILE"`
	// RedisTimeout is short because without Redis a request only takes longer: it must not wait for Redis longer than that.
	RedisTimeout time.Duration `name:"redis-timeout" env:"AGENTLORE_REDIS_TIMEOUT" default:"50ms" help:"The longest that a request waits for Redis; beyond it Redis counts as down for a while."`
}

// config returns how to reach Redis, naming every fault at once.
func (r redisConfig) config(prefix string, out output) (cache.Config, error) {
	config := cache.Config{URL: r.RedisURL, Prefix: prefix, CallTimeout: r.RedisTimeout, Log: out.log}
	var faults [2]error
	config.Password, faults[0] = secret("REDIS_PASSWORD", r.RedisPassword, r.RedisPasswordFile)
	config.CACert, faults[1] = optionalFile("REDIS_CA", r.RedisCA)
	return config, errors.Join(faults[:]...)
}

// scrubConfig says how text is scrubbed.
type scrubConfig struct {
	ScrubLiteral bool `name:"scrub-literal" env:"AGENTLORE_SCRUB_LITERAL" help:"Take the six patterns of the specification to the letter, without boundaries and exceptions; harms addresses, hashes and names in programs."`
}

// settings turns the flags into the client's configuration, naming every fault at once.
func (c storeConfig) settings(out output) (index.Config, error) {
	var faults []error
	fault := func(format string, values ...any) { faults = append(faults, fmt.Errorf(format, values...)) }

	for _, address := range c.ElasticsearchURL {
		faults = append(faults, checkURL("ELASTICSEARCH_URL: each", address, "http://127.0.0.1:9200"))
	}
	password, err := secret("ELASTICSEARCH_PASSWORD", c.ElasticsearchPassword, c.ElasticsearchPasswordFile)
	faults = append(faults, err)
	key, err := secret("ELASTICSEARCH_API_KEY", c.ElasticsearchAPIKey, c.ElasticsearchAPIKeyFile)
	faults = append(faults, err)
	if key != "" && c.ElasticsearchUsername != "" {
		fault("give either ELASTICSEARCH_API_KEY or ELASTICSEARCH_USERNAME, not both")
	}
	certificate, err := optionalFile("ELASTICSEARCH_CA", c.ElasticsearchCA)
	faults = append(faults, err)
	if replicas, err := strconv.Atoi(c.Replicas); c.Replicas != "" && c.Replicas != "auto" && (err != nil || replicas < 0) {
		fault("AGENTLORE_REPLICAS must be a number or auto")
	}
	shards, err := index.ReadShards(c.Shards)
	if err != nil {
		fault("AGENTLORE_SHARDS: %w", err)
	}
	if c.Dimensions < 1 || c.Dimensions > 4096 {
		fault("AGENTLORE_EMBEDDINGS_DIMENSIONS must be 1 to 4096")
	}
	if c.ElasticsearchTimeout < 100*time.Millisecond {
		fault("AGENTLORE_ELASTICSEARCH_TIMEOUT must be at least 100ms")
	}
	settings := index.Config{
		Addresses: c.ElasticsearchURL, Username: c.ElasticsearchUsername, Password: password, APIKey: key, CACert: certificate,
		Prefix: c.IndexPrefix, Shards: shards, Replicas: c.Replicas, Dimensions: c.Dimensions, Timeout: c.ElasticsearchTimeout, Log: out.log,
	}
	return settings, errors.Join(append(faults, settings.Check())...)
}

// scrubber returns the scrubber that the flags ask for.
func (c scrubConfig) scrubber() *scrubber.Scrubber {
	return scrubber.New(scrubber.Config{Literal: c.ScrubLiteral})
}

// checkURL returns an error unless an address is like the example. It doesn't quote the address, which may hold a password.
func checkURL(what, address, example string) error {
	parsed, err := url.Parse(strings.TrimSpace(address))
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return fmt.Errorf("%s must be like %s", what, example)
	}
	return nil
}

// secret returns a secret given by value or by file.
func secret(name, value, file string) (string, error) {
	if value != "" && file != "" {
		return "", fmt.Errorf("give either %s or %s_FILE, not both", name, name)
	}
	content, err := optionalFile(name+"_FILE", file)
	return cmp.Or(value, strings.TrimSpace(string(content))), err
}

// optionalFile reads a file that the configuration may name.
func optionalFile(variable, file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variable, err)
	}
	return content, nil
}
