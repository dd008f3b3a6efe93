# Countersign: "make help" lists the targets.

SHELL       := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS   += --no-print-directory

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
BIN     := bin/countersign
TOOLS   := bin/tools
LINT    := $(TOOLS)/golangci-lint-v2.15.0
GOFUMPT := $(TOOLS)/gofumpt-v0.12.0
AIR     := $(TOOLS)/air-v1.67.4

# One set of flags for the binary and the tests, so that each package is compiled once.
ifeq ($(findstring -tags=nomsgpack,$(GOFLAGS)),)
  export GOFLAGS := $(strip $(GOFLAGS) -trimpath -tags=nomsgpack)
endif
export CGO_ENABLED ?= 0

# Packages where goroutines meet; they run a second time under the race detector.
RACE := $(patsubst %,./%/...,$(wildcard events proposals confirm agent rbac conversations))

UI_SOURCES := $(shell find frontend -type f -not -path '*/node_modules/*' -not -path '*/dist/*' -not -path '*/e2e/*' -not -name '*.go' 2>/dev/null)
UI_STAMP   := frontend/node_modules/.countersign-installed
UI         := frontend/dist/index.html

##@ Use
.PHONY: run
run: build ## build everything and start with demo data on http://127.0.0.1:8080
	@exec $(BIN) serve --demo

.PHONY: build
build: ui ## build bin/countersign with the UI inside
	go build -ldflags "-s -w -X main.version=$(VERSION)" -o $(BIN) ./cmd/countersign

.PHONY: dev
dev: $(UI_STAMP) $(AIR) ## live reload: UI on http://localhost:5173, server on http://127.0.0.1:8080
	@trap 'kill 0' EXIT; \
	(cd frontend && npm run dev) & \
	$(AIR) --build.cmd "go build -o bin/dev/countersign ./cmd/countersign" --build.entrypoint "bin/dev/countersign,serve,--demo" \
	  --build.exclude_dir "frontend/node_modules,frontend/src,frontend/e2e,bin,data,docs" --build.include_ext "go,sql,md,toml,json" --tmp_dir bin/dev

##@ Check
.PHONY: test
test: test-deps ## run every test: UI, browser, Go on SQLite, PostgreSQL and Redis
	@$(MAKE) test-ui
	@$(MAKE) test-e2e
	@$(MAKE) test-go

.PHONY: test-ui
test-ui: ui ## type check and Vitest
	cd frontend && npm run typecheck && npm test

.PHONY: test-e2e
test-e2e: build ## the browser test against the real binary
	cd frontend && COUNTERSIGN_BIN="$(CURDIR)/$(BIN)" npm run e2e

.PHONY: test-go
test-go: $(UI) ## go vet and the Go tests, some of them under the race detector
	go vet ./...
	go build -o bin/testsum ./internal/cmd/testsum
	@if command -v cc >/dev/null; then \
	  echo "go test -race $(RACE)"; \
	  CGO_ENABLED=1 go run ./internal/cmd/testenv -- go test -race -json -timeout 15m $(RACE) | bin/testsum; \
	else \
	  echo "NOT RUN: the race detector needs a C compiler; install gcc."; \
	  test "$${CI:-}" != true; \
	fi
	@echo "go test ./..."
	@go run ./internal/cmd/testenv -- go test -json -timeout 15m ./... | bin/testsum

.PHONY: test-deps
test-deps: ## install what the tests need, where that is possible, and say what is missing
	@install() { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "installing $$1"; \
	    { apt-get install -y -qq --no-install-recommends "$$1" || { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$$1"; }; } \
	      >/tmp/countersign-apt.log 2>&1 && return 0; \
	    tail -n 3 /tmp/countersign-apt.log; \
	  fi; \
	  echo "MISSING: $$2. Install the package $$1 of your system."; \
	}; \
	command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null \
	  || install postgresql "PostgreSQL, so the tests on it do not run"; \
	command -v redis-server >/dev/null || install redis-server "Redis, so the tests on it do not run"; \
	command -v chromium >/dev/null || command -v google-chrome >/dev/null || install chromium "Chromium, so the browser test does not run"; \
	[ "$$(uname)" != Linux ] || fc-list :lang=zh-hk 2>/dev/null | grep -q . \
	  || install fonts-noto-cjk "a Chinese font, so screenshots show boxes"

.PHONY: lint
lint: lint-tools $(UI_STAMP) ## golangci-lint, gofumpt and eslint
	@unformatted=$$(git ls-files -co --exclude-standard '*.go' | xargs -r $(GOFUMPT) -l); \
	if [ -n "$$unformatted" ]; then echo "not gofumpt'ed:"; echo "$$unformatted"; exit 1; fi
	$(LINT) run ./...
	cd frontend && npm run lint

.PHONY: lint-tools
lint-tools: $(LINT) $(GOFUMPT)

.PHONY: bench
bench: $(UI) ## run the benchmarks
	go run ./internal/cmd/testenv -- go test -run '^$$' -bench . -benchmem ./...

# Make variables become flags: the program itself reads no model's configuration from the environment.
EVAL_FLAGS = $(if $(EVAL_ENDPOINT),--endpoint '$(EVAL_ENDPOINT)' --model '$(EVAL_MODEL)') $(if $(EVAL_KEY_FILE),--key-file '$(EVAL_KEY_FILE)') \
  $(if $(EVAL_PROVIDER),--provider '$(EVAL_PROVIDER)') $(if $(EVAL_CASES),--cases '$(EVAL_CASES)') \
  $(if $(EVAL_RUNS),--runs '$(EVAL_RUNS)') $(if $(EVAL_JSON),--json '$(EVAL_JSON)')

.PHONY: evals
evals: $(UI) ## score the assistant by recorded answers, or live: EVAL_ENDPOINT=… EVAL_MODEL=… EVAL_KEY_FILE=…
	@go run ./evals/cmd $(EVAL_FLAGS)

##@ Make
.PHONY: ui
ui: $(UI) ## build the UI into frontend/dist

$(UI): $(UI_STAMP) $(UI_SOURCES)
	cd frontend && npm run build
	@touch frontend/dist/.keep $@

$(UI_STAMP): frontend/package-lock.json
	cd frontend && npm ci --no-audit --no-fund
	@touch $@

.PHONY: generate
generate: $(UI_STAMP) ## write generated files again
	go generate ./...
	go test ./internal/archtest -run TestLinterHasTheSameTable -update
	go test ./api -run '^TestDocumentFile$$' -update
	cd frontend && npm run generate

.PHONY: clean
clean: ## remove what was built; the data folder stays
	rm -rf bin frontend/node_modules
	find frontend/dist -mindepth 1 -not -name .keep -delete

$(LINT):
	$(call install-tool,github.com/golangci/golangci-lint/v2/cmd/golangci-lint)

$(GOFUMPT):
	$(call install-tool,mvdan.cc/gofumpt)

$(AIR):
	$(call install-tool,github.com/air-verse/air)

# $@ is bin/tools/NAME-VERSION.
define install-tool
	@echo "installing $(notdir $@), once"
	@mkdir -p $(TOOLS)
	@GOFLAGS= GOBIN=$(CURDIR)/$(TOOLS) go install $(1)@v$(lastword $(subst -v, ,$(notdir $@)))
	@mv $(TOOLS)/$(notdir $(1)) $@
endef

.PHONY: help
help: ## this list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z0-9-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
