# Every target needs Go and g++ only, unless it says more.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME ?= 10s

.PHONY: build check test bench fuzz eval ci-budget

build: ## the program, as ./gateway
	go build -o gateway ./cmd/gateway

test: ## the tests as README names them
	go test ./...

check: ## what a change must pass before review
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "not formatted:"; echo "$$files"; exit 1; fi
	go vet ./...
	go run $(STATICCHECK) ./...
	go test -race -shuffle=on ./...

bench: ## the Go benchmarks
	go test -run '^$$' -bench . -benchmem ./...

fuzz: ## FUZZTIME of every fuzz target
	@set -e; grep -rn --include='*_test.go' -oE '^func Fuzz[A-Za-z0-9_]+' . | sed -E 's/:[0-9]+:func / /' | \
	while read -r file name; do \
		echo "$$name ($$(dirname $$file))"; \
		go test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) $$(dirname $$file); \
	done

eval: ## the case files, on the sample workbooks
	go run ./cmd/gateway eval eval/testdata/cases/first.yaml

ci-budget: ## the whole of CI, with the time of each step; over 45 minutes it fails (root on Debian: installs a browser)
	CI=true bash .ci/run </dev/null
