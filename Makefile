# Everything one does here day by day. The work is in scripts/; `make help` lists the targets.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help run stop test test-faults test-deploy check bench relevance build contract clients

BIN := .agentlore/bin/agentlore

# Gin's MessagePack codec is used by nothing here and costs a tenth of the build. The two largest dependencies compile in half the
# time without inlining; they wait for the network, so no request takes longer.
export GOFLAGS := $(GOFLAGS) -tags=nomsgpack \
	-gcflags=github.com/elastic/go-elasticsearch/v8/esapi=-l -gcflags=github.com/redis/go-redis/v9=-l

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## engine, Redis and the service on 127.0.0.1:8080, with the reference library, and the demo on an empty store
	@exec scripts/run

stop: ## stop the engine that `make run` left running
	@scripts/engine stop --name run

build: ## the binary, in .agentlore/bin
	@mkdir -p $(dir $(BIN)) && go build -o $(BIN) ./cmd/agentlore

# Elasticsearch lives for minutes here: half its start-up goes into optimising code that is then hardly used.
test check: export ENGINE_JAVA_OPTIONS ?= -XX:TieredStopAtLevel=1

test: ## all tests, on a real Elasticsearch and Redis that are started for it
	@scripts/engine with --name test --memory --wipe -- scripts/test

test-faults: ## every failure that docs/operations/alerts.md lists, on engines of its own that are filled, cut off and killed: half an hour
	@scripts/test-faults

test-deploy: ## the alert rules by Prometheus' own promtool, the Helm chart by Helm's own packages; needs no engine
	@scripts/test-deploy

check: ## before a commit: formatting, vet, staticcheck, vulnerabilities, race tests, short fuzzing, scripts, compose
	@scripts/engine with --name check --memory --wipe -- scripts/check

bench: ## searches, submits, imports, memory and start against Elasticsearch alone: a table; BENCH="--docs 1000000 --only searches" chooses
	@scripts/engine with --name bench -- python3 scripts/measure/bench.py $(BENCH)

contract: ## the interface against its own description: a linter and a fuzzer (pip and npm fetch them)
	@scripts/engine with --name contract --wipe -- scripts/contract

clients: ## generated Python and TypeScript clients, the SDKs of MCP, and a cold agent by every road: a table (pip and npm fetch them)
	@scripts/engine with --name clients --wipe -- scripts/clients

relevance: ## nDCG@10 on labelled collections, with typos too: a table; RELEVANCE="--collections cacm" chooses
	@scripts/engine with --name relevance -- scripts/python scripts/measure/relevance.py $(RELEVANCE)
