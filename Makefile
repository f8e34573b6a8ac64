# Narrows is built and run with cargo; see README.md. This file gathers what is tested, and builds with controllers for the kernel where that can be done.

CARGO ?= cargo

# What controllers for the kernel (BPF) are built with, and what of it is missing: programs, then headers.
MISSING := $(strip \
	$(foreach tool,clang make pkg-config,$(if $(shell command -v $(tool)),,$(tool))) \
	$(foreach header,libelf.h zlib.h,$(if $(shell echo '\#include <$(header)>' | cc -E -x c - >/dev/null 2>&1 && echo found),,$(header))))
KERNEL := $(if $(MISSING),,--features narrows/bpf)

.PHONY: build test torture tools check docs

# The program, with controllers for the kernel if there is all that they need.
build:
	@test -z "$(MISSING)" || echo "built without controllers for the kernel, for want of $(MISSING): on Debian apt-get install clang make pkg-config libelf-dev zlib1g-dev"
	$(CARGO) build --release -p narrows $(KERNEL)

# The tests, then the comparison of results byte for byte with one thread and with two. In a second make, which sees what the first has installed. Some tests wait
# for a clock: so four run at once on two cores, and Python's environment is made ready beside them.
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

# The tests that take longest, some two minutes on two cores. CI runs them; `make test` runs shorter ones of the same commands and parts.
.PHONY: long
long:
	$(CARGO) test --workspace $(KERNEL) --test it -- --ignored long::

# The same comparison also with a release, which is built for it: some four minutes. CI runs it.
.PHONY: determinism
determinism:
	ci/determinism.sh all $(KERNEL)

# Whether every verdict on a published result is the one that measurements/reproductions.md explains, by the short runs
# of all figures: some nine minutes of one core, in a release, which is built for it. CI runs it.
.PHONY: verdicts
verdicts:
	$(CARGO) build --release -p narrows
	work=$$(mktemp -d) && $${CARGO_TARGET_DIR:-target}/release/narrows reproduce --quick --quiet --out $$work/r; \
		status=$$?; rm -rf $$work; exit $$status

# Every class of measurements/reliability.md at full size, and the table of what came of them. In the tests' build, which notices what overflows.
torture:
	NARROWS_TORTURE=$${NARROWS_TORTURE:-100} $(CARGO) test -p narrows $(KERNEL) --test it -- torture:: kernel_kill:: --nocapture; status=$$?; \
		cat $${CARGO_TARGET_DIR:-target}/tmp/torture/table.md; exit $$status

# Programs that the tests need and cargo does not install; root on Debian gets them here: a C compiler; tshark,
# which reads captures; iperf3, iproute2 and ethtool for networks; clang and the headers of libelf and zlib for
# controllers of the kernel; Chromium, which draws pages. Tests whose program is missing are skipped and say so.
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

# What docs/how-to/notebooks.md needs, in target/notebooks; its code is tested from then on. Some 150 MB to download.
.PHONY: notebooks
notebooks:
	python3 -m venv target/notebooks
	target/notebooks/bin/pip install --quiet pandas pyarrow polars duckdb matplotlib

# NDN's own tools at fixed versions, in target/peers, with which the forwarder is tested from then on. Needs Go, Python and Node.js; some 130 MB to download.
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

# As many mutated packets as COUNT says through the forwarder, and as many damaged objects through the linker of BPF programs: 10^7 by default.
.PHONY: mutations
mutations:
	NARROWS_MUTATIONS=$(or $(COUNT),10000000) $(CARGO) test -p narrows-forward -p narrows-bpf --test it -- --nocapture mutated

# What the forwarder costs per exchange beside ndnd, by a load that shares no code with either, on two cores that should be idle: some two minutes.
.PHONY: ndn-speed
ndn-speed:
	@test -x target/peers/ndnd || { echo "ndnd is missing: make peers" >&2; exit 1; }
	$(CARGO) build --release -p narrows -p narrows-ndn-load
	ci/ndn-speed.sh

# How long a page takes in a browser on this machine: a million samples drawn, then panned. Needs Chromium, and says nothing on a busy machine.
.PHONY: page-speed
page-speed:
	$(CARGO) test --release -p narrows-report --test it -- --ignored --nocapture page_speed

# Wheels of the Python package for both architectures, in target/wheels, linked by Zig against the glibc of manylinux_2_28. Needs rustup; some 100 MB to download.
.PHONY: wheels
wheels:
	rustup target add x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu
	python3 -m venv target/wheel-tools
	target/wheel-tools/bin/pip install --quiet --disable-pip-version-check 'maturin>=1.16,<2' ziglang
	for machine in x86_64 aarch64; do \
		PATH=$(CURDIR)/target/wheel-tools/bin:$$PATH maturin build --release --compatibility manylinux_2_28 --zig \
			--target $$machine-unknown-linux-gnu || exit 1; done

# How many published faults of controllers the search and the check find: some fifteen minutes on two cores.
.PHONY: mutants
mutants:
	ci/mutants.sh

# Known faults of published versions of QUIC stacks, shown by running them: some ten minutes on two cores, and six versions from the registry.
.PHONY: quic-history
quic-history:
	ci/quic-history/run.sh

# Whether other seeds change verdicts: quick checks of six controllers with ten sets of seeds. Three took 22 minutes on two cores with other work.
.PHONY: stability
stability:
	$(CARGO) build --release -p narrows
	ci/stability.py $${CARGO_TARGET_DIR:-target}/release/narrows

# Formatting, lints, documentation and the lock file, as .ci/run has them.
check:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets $(KERNEL) -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps $(KERNEL)
	@! command -v python3 >/dev/null || { $(CARGO) fetch --locked --quiet && python3 ci/lock.py; }

# What a release gives away, in target/dist-out: see ci/dist.sh. PARTS chooses of deb, tar and wheels.
.PHONY: dist
dist:
	ci/dist.sh $(PARTS)

# Installs these packages in a new Debian and runs them there. Needs root and debootstrap.
.PHONY: dist-test
dist-test:
	ci/dist-test.sh

# The pages as a book with a search, in target/book. Needs mdBook.
.PHONY: book
book:
	@command -v mdbook >/dev/null || { echo "mdbook is missing: cargo install mdbook" >&2; exit 1; }
	mdbook build docs

# Rewrites the pages that are generated from tables in the code, the curves of controllers, the outputs in README and tour, and the figures.
docs:
	UPDATE_DOCS=1 $(CARGO) test -p narrows-measure -p narrows --test it -- docs:: curves:: tour:: gallery:: notices::
