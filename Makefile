# Narrows is built and run with cargo; see README.md. This file has the commands for tests, and
# builds with controllers for the kernel where that is possible.

CARGO ?= cargo

# Missing tools and headers for controllers of the kernel (BPF).
MISSING := $(strip \
	$(foreach tool,clang make pkg-config,$(if $(shell command -v $(tool)),,$(tool))) \
	$(foreach header,libelf.h zlib.h,$(if $(shell echo '\#include <$(header)>' | cc -E -x c - >/dev/null 2>&1 && echo found),,$(header))))
KERNEL := $(if $(MISSING),,--features narrows/bpf)

.PHONY: build test torture tools check docs

# Builds the program, with controllers for the kernel if nothing is missing for them.
build:
	@test -z "$(MISSING)" || echo "built without controllers for the kernel, because these are missing: $(MISSING); on Debian: apt-get install clang make pkg-config libelf-dev zlib1g-dev"
	$(CARGO) build --release -p narrows $(KERNEL)

# Builds the program twice, the second time laid out by a profile of the first: `narrows lab bench`.
# Simulations take 8 to 20 % less time (measurements/speed.md). Needs `rustup component add
# llvm-tools`.
PROFILE := $(CURDIR)/target/profile
.PHONY: profiled
profiled:
	rm -rf $(PROFILE)/data
	RUSTFLAGS="$(RUSTFLAGS) -Cprofile-generate=$(PROFILE)/data" \
		$(CARGO) build --release -p narrows $(KERNEL) --target-dir $(PROFILE)
	LLVM_PROFILE_FILE=$(PROFILE)/data/bench-%m-%p.profraw $(PROFILE)/release/narrows lab bench --runs 1
	"$$(rustc --print target-libdir)/../bin/llvm-profdata" merge -o $(PROFILE)/data.profdata $(PROFILE)/data/bench-*.profraw
	RUSTFLAGS="$(RUSTFLAGS) -Cprofile-use=$(PROFILE)/data.profdata" \
		$(CARGO) build --release -p narrows $(KERNEL) --target-dir target/profiled

# Runs the tests, then compares results with one thread and with two, byte for byte. A second make
# sees the tools that the first has installed. Some tests wait for a clock, so four run at once on
# two cores, and the environment for Python is prepared at the same time.
test: tools
	$(MAKE) --no-print-directory tests

.PHONY: tests
tests:
	@for browser in chromium chromium-browser google-chrome; do command -v $$browser >/dev/null && exit; done; \
		echo "without Chromium the tests of pages in a browser are skipped: on Debian apt-get install chromium"
	@test -x target/notebooks/bin/python || echo "without pandas, Polars and DuckDB the tests of docs/how-to/notebooks.md are skipped: make notebooks"
	@test -x target/peers/ndnd && test -d target/peers/ndnts/node_modules || \
		echo "without ndnd, python-ndn and NDNts the tests of the forwarder beside them are skipped: make peers"
	@! command -v python3 >/dev/null || python3 -m unittest discover -q contrib/minindn
	$(CARGO) test --workspace $(KERNEL) --no-run
	@nice -n 19 ci/python.sh environment & ahead=$$!; \
		RUST_TEST_THREADS=$${RUST_TEST_THREADS:-4} $(CARGO) test --workspace $(KERNEL); status=$$?; wait $$ahead; exit $$status
	ci/determinism.sh tests $(KERNEL)
	ci/python.sh

# Runs the tests that take longest, and those of the example for QUIC, which is a workspace of its
# own: about five minutes on two cores. CI runs them. `make test` runs shorter ones of the same
# commands and parts.
.PHONY: long
long:
	$(CARGO) test --workspace $(KERNEL) --test it -- --ignored long::
	CARGO_TARGET_DIR=$${CARGO_TARGET_DIR:-$(CURDIR)/target}/quic-example $(CARGO) test --locked --manifest-path examples/quic/Cargo.toml

# Makes the comparison of results also with a release build: about four minutes. CI runs it.
.PHONY: determinism
determinism:
	ci/determinism.sh all $(KERNEL)

# Tests that every verdict on a published result is the one that measurements/reproductions.md
# explains, with the short runs of all figures: about nine minutes of one core in a release build.
# CI runs it.
.PHONY: verdicts
verdicts:
	$(CARGO) build --release -p narrows
	work=$$(mktemp -d) && $${CARGO_TARGET_DIR:-target}/release/narrows reproduce --quick --quiet --out $$work/r; \
		status=$$?; rm -rf $$work; exit $$status

# Runs every class of measurements/reliability.md at full size, and prints a table of the outcomes.
# Uses the tests' build, which detects overflows.
torture:
	NARROWS_TORTURE=$${NARROWS_TORTURE:-100} $(CARGO) test -p narrows $(KERNEL) --test it -- torture:: kernel_kill:: --nocapture; status=$$?; \
		cat $${CARGO_TARGET_DIR:-target}/tmp/torture/table.md; exit $$status

# Installs programs that the tests need and cargo does not install, as root on Debian: a C compiler;
# tshark, which reads captures; iperf3, iproute2 and ethtool for networks; clang and the headers of
# libelf and zlib for controllers of the kernel; Chromium, which draws pages. Tests whose program is
# missing are skipped with a message.
tools:
	@command -v $(CARGO) >/dev/null || { echo "cargo is missing: install Rust, see https://rustup.rs" >&2; exit 1; }
	@command -v cc >/dev/null || test "$$(id -u)" != 0 || ! command -v apt-get >/dev/null || \
		{ apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev; }
	@command -v tshark >/dev/null || test "$$(id -u)" != 0 || ! command -v apt-get >/dev/null || \
		{ apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends tshark; } || true
	@{ command -v iperf3 && command -v ip && command -v ethtool; } >/dev/null || test "$$(id -u)" != 0 || ! command -v apt-get >/dev/null || \
		{ apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends iperf3 iproute2 ethtool; } || true
	@{ command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null || test "$$(id -u)" != 0 || \
		! command -v apt-get >/dev/null || { apt-get update && apt-get install -y --no-install-recommends chromium; } || true
	@test -z "$(MISSING)" || test "$$(id -u)" != 0 || ! command -v apt-get >/dev/null || \
		{ apt-get update && apt-get install -y --no-install-recommends clang make pkg-config libelf-dev zlib1g-dev; } || true
	@command -v cc >/dev/null || { echo "a C compiler is missing: install one, on Debian: apt-get install gcc libc6-dev" >&2; exit 1; }

# Installs the packages for docs/how-to/notebooks.md in target/notebooks. From then on its code is
# tested. Downloads about 150 MB.
.PHONY: notebooks
notebooks:
	python3 -m venv target/notebooks
	target/notebooks/bin/pip install --quiet pandas pyarrow polars duckdb matplotlib

# Installs NDN's own tools at fixed versions in target/peers. From then on the forwarder is tested
# with them. Needs Go, Python and Node.js. Downloads about 130 MB.
NDNTS := 0.0.20250307
.PHONY: peers
peers:
	mkdir -p target/peers/build
	cd target/peers/build && { test -f go.mod || go mod init peers; } && GOFLAGS=-mod=mod go get github.com/named-data/ndnd/cmd/ndnd@v1.5.3 && \
		GOFLAGS=-mod=mod CGO_ENABLED=0 go build -o ../ndnd github.com/named-data/ndnd/cmd/ndnd
	python3 -m venv target/peers/python
	target/peers/python/bin/pip install --quiet python-ndn==0.5.2
	mkdir -p target/peers/ndnts
	cd target/peers/ndnts && npm install --silent --no-audit --no-fund --no-save \
		$(foreach package,endpoint fw lp naming-convention2 nfdmgmt node-transport packet rdr segmented-object,@ndn/$(package)@$(NDNTS))

# Sends COUNT mutated packets through the forwarder, and COUNT damaged objects through the linker of
# BPF programs. COUNT is 10^7 by default.
.PHONY: mutations
mutations:
	NARROWS_MUTATIONS=$(or $(COUNT),10000000) $(CARGO) test -p narrows-forward -p narrows-bpf --test it -- --nocapture mutated

# Measures the cost per exchange of the forwarder and of ndnd, with a load generator that shares no
# code with either. Needs two idle cores for about two minutes.
.PHONY: ndn-speed
ndn-speed:
	@test -x target/peers/ndnd || { echo "ndnd is missing: make peers" >&2; exit 1; }
	$(CARGO) build --release -p narrows -p narrows-ndn-load
	ci/ndn-speed.sh

# Measures the time of a page in a browser on this machine: drawing and panning a million samples.
# Needs Chromium and an idle machine.
.PHONY: page-speed
page-speed:
	$(CARGO) test --release -p narrows-report --test it -- --ignored --nocapture page_speed

# Builds wheels of the Python package for both architectures in target/wheels, linked by Zig against
# the glibc of manylinux_2_28. Needs rustup. Downloads about 100 MB.
.PHONY: wheels
wheels:
	rustup target add x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu
	python3 -m venv target/wheel-tools
	target/wheel-tools/bin/pip install --quiet --disable-pip-version-check 'maturin>=1.16,<2' ziglang
	for machine in x86_64 aarch64; do \
		PATH=$(CURDIR)/target/wheel-tools/bin:$$PATH maturin build --profile dist --locked --compatibility manylinux_2_28 --zig \
			--target $$machine-unknown-linux-gnu || exit 1; done

# Runs each fuzz target for DURATION seconds, 300 by default, with any compiler: see fuzz/README.md.
.PHONY: fuzz
fuzz:
	@command -v cargo-fuzz >/dev/null || { echo "cargo-fuzz is missing: cargo install cargo-fuzz" >&2; exit 1; }
	cp Cargo.lock fuzz/
	for target in $$($(CARGO) fuzz list); do \
		mkdir -p fuzz/corpus/$$target && \
		$(CARGO) fuzz run --sanitizer none $$target fuzz/corpus/$$target fuzz/seeds/$$target -- \
			-max_total_time=$(or $(DURATION),300) -timeout=10 -rss_limit_mb=4096 || exit 1; done

# Counts the published faults of controllers that the search and the check find: about fifteen
# minutes on two cores.
.PHONY: mutants
mutants:
	ci/mutants.sh

# Shows known faults of published versions of QUIC stacks by running them: about ten minutes on two
# cores, with six versions from the registry.
.PHONY: quic-history
quic-history:
	ci/quic-history/run.sh

# Tests whether other seeds change verdicts, by quick checks of six controllers with ten sets of
# seeds. Three controllers took 22 minutes on two cores with other work.
.PHONY: stability
stability:
	$(CARGO) build --release -p narrows
	ci/stability.py $${CARGO_TARGET_DIR:-target}/release/narrows

# Checks formatting, lints, documentation, the lock file and the targets of fuzz/, as .ci/run does.
# Lints run with each set of features.
check:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets $(KERNEL) -- -D warnings
	$(CARGO) clippy -p narrows -- -D warnings
	$(CARGO) clippy -p narrows --no-default-features -- -D warnings
	$(CARGO) clippy -p narrows --features quic-qlog -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps $(KERNEL)
	@! command -v python3 >/dev/null || { $(CARGO) fetch --locked --quiet && python3 ci/lock.py; }
	@command -v c++ >/dev/null || echo "without a C++ compiler the targets of fuzz/ are not checked: on Debian apt-get install g++"
	! command -v c++ >/dev/null || { cp Cargo.lock fuzz/ && \
		CARGO_TARGET_DIR=$${CARGO_TARGET_DIR:-target}/fuzz $(CARGO) clippy --manifest-path fuzz/Cargo.toml -- -D warnings; }

# Compiles everything with the oldest Rust that Cargo.toml states, which rustup installs: about four
# minutes on two cores. CI runs it.
OLDEST := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
.PHONY: msrv
msrv:
	@command -v rustup >/dev/null || { echo "without rustup the check with Rust $(OLDEST) is skipped"; exit 0; }; \
		rustup toolchain install $(OLDEST) --profile minimal --no-self-update || { echo "without Rust $(OLDEST) its check is skipped"; exit 0; }; \
		set -x; CARGO_TARGET_DIR=$${CARGO_TARGET_DIR:-target}/msrv rustup run $(OLDEST) cargo check --workspace --all-targets --locked $(KERNEL)

# Builds the files of a release in target/dist-out: see ci/dist.sh. PARTS chooses from deb, tar and
# wheels.
.PHONY: dist
dist:
	ci/dist.sh $(PARTS)

# Installs the packages in a new Debian and runs them there. Needs root and debootstrap.
.PHONY: dist-test
dist-test:
	ci/dist-test.sh

# Builds the pages as a book with a search, in target/book. Needs mdBook.
.PHONY: book
book:
	@command -v mdbook >/dev/null || { echo "mdbook is missing: cargo install mdbook" >&2; exit 1; }
	mdbook build docs

# Rewrites the pages that are generated from tables in the code, the curves of controllers, the
# outputs in README and tour, and the figures.
docs:
	UPDATE_DOCS=1 $(CARGO) test -p narrows-measure -p narrows --test it -- docs:: curves:: tour:: gallery:: notices::
