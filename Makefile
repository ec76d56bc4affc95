# demo run test check test-all fuzz examples interface contracts contracts-write gas bench bench-build release packaging vectors
#
# A fresh machine needs Rust, a C compiler and make. What else `make test` needs it compiles
# (cargo-nextest) or installs (anvil, playwright-core and openapi-typescript, where npm is at hand; schemathesis,
# grpcio and openapi-python-client, where python3 is),
# or it says what it skips.

CARGO ?= cargo
.PHONY: demo run test check test-all fuzz examples interface contracts contracts-write gas bench bench-build release packaging vectors help

# Recordings of real blocks: the folder named, or else the one beside the checkout.
ifeq ($(origin SUPERROOT_DATA),undefined)
ifneq ($(wildcard ../shared/data/.),)
export SUPERROOT_DATA := $(abspath ../shared/data)
endif
endif
# the runner shows nothing of a test that passes, so what was skipped is said here
SAY_SKIPPED = test -n "$$SUPERROOT_DATA" || \
  echo "SKIPPED: tests on real blocks; SUPERROOT_DATA names no folder of recordings"

help: ## prints this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## the whole service on simulated chains, nothing to configure
	$(CARGO) run --release --bin superroot -- demo $(ARGS)

run: ## live chains through public nodes; make run ARGS="--endpoints FILE --watch all", or REPLAY=DIR
	$(CARGO) run --release --bin superroot -- serve $(if $(REPLAY),--replay $(REPLAY),--live) $(ARGS)

test: nextest anvil schemathesis grpc-client page clients sdk ## every test but the long ones, in minutes
	@$(SAY_SKIPPED)
	@# tests wait for processes and clocks: one more than there are cores keeps these busy
	@$(CARGO) nextest run --workspace --no-fail-fast --test-threads $$(($$(nproc) + 1)); \
	  code=$$?; $(SAY_SKIPPED); exit $$code
	$(CARGO) test --workspace --doc --quiet

check: ## format, lints, documentation, layers, licences and bans
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --lib --bins --examples --locked
	$(CARGO) check --locked -p superroot-proof --no-default-features
	$(CARGO) check --locked -p superroot-proof --no-default-features --features finality,pure
	@# without node: that the checked-in bytecode is of these sources
	cd contracts && sha256sum --check --quiet artifacts/SOURCES
	@if command -v python3 >/dev/null 2>&1; then packaging/reach; \
	else echo "SKIPPED: what sources include from outside of a package; install python3"; fi
	@if command -v $${CXX:-g++} >/dev/null 2>&1; then \
	  $(CARGO) check --quiet --locked --manifest-path fuzz/Cargo.toml --target-dir $(or $(CARGO_TARGET_DIR),target) --bins; \
	else \
	  $(CARGO) metadata --locked --format-version 1 --manifest-path fuzz/Cargo.toml >/dev/null; \
	  echo "SKIPPED: the fuzz targets are not compiled; install g++"; \
	fi
	@if $(CARGO) deny --version >/dev/null 2>&1; then \
	  $(CARGO) deny --log-level error check licenses bans sources; \
	else \
	  echo "SKIPPED: licences and bans; install it: cargo install cargo-deny --locked"; \
	fi
	@if timeout 120 $(CARGO) deny fetch db >/dev/null 2>&1; then \
	  $(CARGO) deny --log-level error check --disable-fetch advisories; \
	else \
	  echo "SKIPPED: advisories, their database cannot be had here (cargo deny fetch db)"; \
	fi

test-all: test ## besides: ten times the altered bodies, 10,000 simulated seeds, more random inputs
	@SUPERROOT_TEST_ALL=1 PROPTEST_CASES=2000 $(CARGO) nextest run --profile all --workspace --no-fail-fast; \
	  code=$$?; $(SAY_SKIPPED); exit $$code

fuzz: ## every decoder and verifier under libFuzzer: make fuzz t=60 (seconds each)
	fuzz/run $(or $(t),60)

examples: ## takes the examples of /docs/try anew from a demo
	SUPERROOT_EXAMPLES=write $(CARGO) nextest run -p superroot-node --test service -E 'test(/^examples/)'
	$(MAKE) interface

interface: ## writes interface/ from the routes, types and .proto, and the Rust code for gRPC
	SUPERROOT_WRITE_INTERFACE=1 $(CARGO) nextest run -p superroot-wire --test tests -E 'test(/^grpc::/)'
	SUPERROOT_WRITE_INTERFACE=1 $(CARGO) nextest run -p superroot-api --lib -E 'test(/^openapi/)'

# forge, its compiler and OpenZeppelin, from npm alone
contracts/node_modules: contracts/package.json contracts/package-lock.json
	cd contracts && npm ci --no-audit --no-fund --ignore-scripts && touch node_modules

contracts: contracts/node_modules ## builds the contracts, compares them with contracts/artifacts and runs their fuzz tests; needs npm
	cd contracts && node build.mjs --check && node_modules/@foundry-rs/forge-linux-amd64/bin/forge test

contracts-write: contracts/node_modules ## builds the contracts and writes contracts/artifacts
	cd contracts && node build.mjs

gas: ## gas and bytes of 200 real proofs, as the checked-in bytecode uses them
	SUPERROOT_GAS_LIMITS=1 $(CARGO) test -p superroot-contract --test tests -- --nocapture gas:: release::

bench: ## benchmarks, each against a peer of the same run; the service under load: make bench t=60 (seconds)
	$(CARGO) bench -p superroot-proof --bench proof
	$(CARGO) bench -p superroot-proof --bench replay
	$(CARGO) bench -p superroot-proof --bench scan
	$(CARGO) bench -p superroot-proof --bench finality
	$(CARGO) bench -p superroot-wire --bench wire
	$(CARGO) bench -p superroot-chain --bench chain
	$(CARGO) bench -p superroot-chain --bench bitcoin
	$(CARGO) bench -p superroot-chain --bench polkadot
	$(CARGO) bench -p superroot-chain --bench tron
	$(CARGO) bench -p superroot-chain --bench solana
	$(CARGO) bench -p superroot-chain --bench aptos
	$(CARGO) bench -p superroot-chain --bench sui
	$(CARGO) bench -p superroot-chain --bench icp
	$(CARGO) bench -p superroot-store --bench store
	$(CARGO) bench -p superroot-index --bench events
	$(CARGO) bench -p superroot-index --bench blooms
	$(CARGO) bench -p superroot-gas --bench gas
	$(CARGO) bench -p superroot-order --bench orders
	$(CARGO) bench -p superroot-market --bench market
	$(CARGO) bench -p superroot-accumulate --bench accumulate
	$(CARGO) bench -p superroot-accumulate --bench twigs
	$(CARGO) bench -p superroot-account --bench account
	$(CARGO) bench -p superroot-account --bench usage
	$(CARGO) bench -p superroot-api --bench accounts
	$(CARGO) bench -p superroot-api --bench grpc
	$(CARGO) bench -p superroot-node --bench proofs
	$(CARGO) bench -p superroot-node --bench audit
	$(CARGO) bench -p superroot-node --bench index
	ulimit -n 20000 2>/dev/null && export SUPERROOT_LISTENERS=9800; $(CARGO) bench -p superroot-node --bench streams
	$(CARGO) bench -p superroot-node --bench launches
	SUPERROOT_LOAD_SECONDS=$(or $(t),300) $(CARGO) bench -p superroot-node --bench load
	SUPERROOT_RATE_SECONDS=$(or $(t),300) $(CARGO) bench -p superroot-node --bench rate
	SUPERROOT_CATCHUP_SECONDS=$(or $(t),180) $(CARGO) bench -p superroot-node --bench catchup

bench-build: ## a cold release build, in minutes: seconds of the clock and of the processor, and its slowest crates
	@folder=$$(mktemp -d) && \
	  bash -c "TIMEFORMAT='cold release build: %R s, of the processor %U s'; \
	    time CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$$folder $(CARGO) build --release --locked --bin superroot --timings --quiet"; \
	  code=$$?; echo "seconds by crate: target/build-timings.html"; mkdir -p target; \
	  cp $$folder/cargo-timings/cargo-timing.html target/build-timings.html; rm -rf $$folder; exit $$code

release: ## static binary, archive, Debian package, bill of materials, signatures: what it needs is in packaging/release
	packaging/release $(ARGS)

packaging: ## lints packaging/ with the tools that are here
	packaging/lint

vectors: ## writes vectors/ and docs/ledgers.md anew from the code; a reviewer reads the difference
	SUPERROOT_WRITE_VECTORS=1 $(CARGO) nextest run -p superroot-node --test vectors
	SUPERROOT_WRITE_VECTORS=1 $(CARGO) nextest run -p superroot-proof --test tests -E 'test(/^sui::/)'
	SUPERROOT_WRITE_VECTORS=1 $(CARGO) nextest run -p superroot-contract --test tests -E 'test(/hostile/)'
	SUPERROOT_WRITE_VECTORS=1 $(CARGO) nextest run -p superroot-wire --features schema -E 'test(the_page_says_what_is_in_them)'

# A real node and real contracts, for tests: from npm, in exact versions, into the build folder.
ANVIL := $(or $(CARGO_TARGET_DIR),target)/anvil
ANVIL_LIST := crates/node/tests/anvil/package.json
.PHONY: anvil
anvil:
	@if cmp -s $(ANVIL_LIST) $(ANVIL)/installed.json; then :; \
	elif command -v npm >/dev/null; then \
	  mkdir -p $(ANVIL) && cp $(ANVIL_LIST) $(ANVIL)/ && \
	  npm install --prefix $(ANVIL) --ignore-scripts --legacy-peer-deps --no-package-lock --no-audit --no-fund --silent && \
	  cp $(ANVIL_LIST) $(ANVIL)/installed.json; \
	else \
	  echo "SKIPPED: tests on real nodes (anvil), npm is not at hand"; \
	fi

# What asks the service as its own OpenAPI document says: from PyPI, in an exact version.
SCHEMATHESIS := $(or $(CARGO_TARGET_DIR),target)/schemathesis
SCHEMATHESIS_LIST := crates/node/tests/schemathesis/requirements.txt
.PHONY: schemathesis
schemathesis:
	@if cmp -s $(SCHEMATHESIS_LIST) $(SCHEMATHESIS)/installed.txt; then :; \
	elif python3 -c 'import ensurepip, sys; assert sys.version_info >= (3, 10)' 2>/dev/null; then \
	  python3 -m venv --clear $(SCHEMATHESIS) && \
	  $(SCHEMATHESIS)/bin/pip install --quiet --disable-pip-version-check -r $(SCHEMATHESIS_LIST) && \
	  cp $(SCHEMATHESIS_LIST) $(SCHEMATHESIS)/installed.txt; \
	else \
	  echo "SKIPPED: the OpenAPI document against the service (schemathesis), python3 of 3.10 or later with venv is not at hand"; \
	fi

# A client of gRPC in another language: from PyPI, in exact versions.
GRPC_CLIENT := $(or $(CARGO_TARGET_DIR),target)/grpc-client
GRPC_CLIENT_LIST := crates/node/tests/grpc/requirements.txt
.PHONY: grpc-client
grpc-client:
	@if cmp -s $(GRPC_CLIENT_LIST) $(GRPC_CLIENT)/installed.txt; then :; \
	elif python3 -c 'import ensurepip, sys; assert sys.version_info >= (3, 10)' 2>/dev/null; then \
	  python3 -m venv --clear $(GRPC_CLIENT) && \
	  $(GRPC_CLIENT)/bin/pip install --quiet --disable-pip-version-check -r $(GRPC_CLIENT_LIST) && \
	  cp $(GRPC_CLIENT_LIST) $(GRPC_CLIENT)/installed.txt; \
	else \
	  echo "SKIPPED: gRPC by a client in Python (grpcio), python3 of 3.10 or later with venv is not at hand"; \
	fi

# What drives the browser that the page is tested in: from npm, in an exact version.
PAGE := $(or $(CARGO_TARGET_DIR),target)/page
PAGE_LIST := crates/node/tests/page/package.json
.PHONY: page
page:
	@if cmp -s $(PAGE_LIST) $(PAGE)/installed.json; then :; \
	elif command -v npm >/dev/null; then \
	  mkdir -p $(PAGE) && cp $(PAGE_LIST) $(PAGE)/ && \
	  npm install --prefix $(PAGE) --ignore-scripts --no-package-lock --no-audit --no-fund --silent && \
	  cp $(PAGE_LIST) $(PAGE)/installed.json; \
	else \
	  echo "SKIPPED: the page in a browser (playwright-core), npm is not at hand"; \
	fi
	@command -v node nodejs >/dev/null || echo "SKIPPED: the page's verifier over vectors/, node is not at hand"
	@command -v chromium chromium-browser google-chrome google-chrome-stable >/dev/null || \
	  echo "SKIPPED: the page in a browser, chromium is not at hand"

# What makes clients of the OpenAPI document, and what checks their types: from npm and PyPI, in exact versions.
CLIENTS := $(or $(CARGO_TARGET_DIR),target)/clients
CLIENTS_NPM := examples/clients/typescript/package.json
CLIENTS_PYPI := examples/clients/python/requirements.txt
.PHONY: clients
clients:
	@if cmp -s $(CLIENTS_NPM) $(CLIENTS)/typescript/installed.json; then :; \
	elif command -v npm >/dev/null; then \
	  mkdir -p $(CLIENTS)/typescript && cp $(CLIENTS_NPM) $(CLIENTS)/typescript/ && \
	  npm install --prefix $(CLIENTS)/typescript --ignore-scripts --no-package-lock --no-audit --no-fund --silent && \
	  cp $(CLIENTS_NPM) $(CLIENTS)/typescript/installed.json; \
	else \
	  echo "SKIPPED: a generated client in TypeScript (openapi-typescript), npm is not at hand"; \
	fi
	@if cmp -s $(CLIENTS_PYPI) $(CLIENTS)/python/installed.txt; then :; \
	elif python3 -c 'import ensurepip, sys; assert sys.version_info >= (3, 11)' 2>/dev/null; then \
	  python3 -m venv --clear $(CLIENTS)/python && \
	  $(CLIENTS)/python/bin/pip install --quiet --disable-pip-version-check -r $(CLIENTS_PYPI) && \
	  cp $(CLIENTS_PYPI) $(CLIENTS)/python/installed.txt; \
	else \
	  echo "SKIPPED: a generated client in Python (openapi-python-client), python3 of 3.11 or later with venv is not at hand"; \
	fi

# What the clients in JavaScript and Python need and are checked with: from npm and PyPI. The files of noble that are
# checked in are compared with those of npm.
SDK := $(or $(CARGO_TARGET_DIR),target)/sdk
SDK_NPM := crates/node/tests/sdk/package.json
SDK_PYPI := crates/node/tests/sdk/requirements.txt
.PHONY: sdk
sdk:
	@if cmp -s $(SDK_NPM) $(SDK)/js/installed.json; then :; \
	elif command -v npm >/dev/null; then \
	  mkdir -p $(SDK)/js && cp $(SDK_NPM) $(SDK)/js/ && \
	  npm install --prefix $(SDK)/js --ignore-scripts --no-package-lock --no-audit --no-fund --silent && \
	  node sdk/js/scripts/vendored.mjs && cp $(SDK_NPM) $(SDK)/js/installed.json; \
	else \
	  echo "SKIPPED: the client in JavaScript (sdk/js), npm is not available"; \
	fi
	@if cmp -s $(SDK_PYPI) $(SDK)/python/installed.txt; then :; \
	elif python3 -c 'import ensurepip, sys; assert sys.version_info >= (3, 9)' 2>/dev/null; then \
	  python3 -m venv --clear $(SDK)/python && \
	  $(SDK)/python/bin/pip install --quiet --disable-pip-version-check -r $(SDK_PYPI) && \
	  cp $(SDK_PYPI) $(SDK)/python/installed.txt; \
	else \
	  echo "SKIPPED: the client in Python (sdk/python), python3 of 3.9 or later with venv is not available"; \
	fi

.PHONY: nextest
nextest:
	@$(CARGO) nextest --version >/dev/null 2>&1 || $(CARGO) install cargo-nextest --locked
