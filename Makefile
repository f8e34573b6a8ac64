# Narrows is built and run with cargo; see README.md. This file only gathers what is tested.

CARGO ?= cargo

.PHONY: test tools check docs

# Every test, then the comparison of results byte for byte.
test: tools
	$(CARGO) test --workspace
	ci/determinism.sh

# What the tests need and cargo does not bring along, which root on Debian gets here: a C compiler; tshark, which reads captures; iperf3, and ip of iproute2, for
# live runs. Tests that need what is missing are left out, and say so.
tools:
	@command -v $(CARGO) >/dev/null || { echo "cargo is missing: install Rust, see https://rustup.rs" >&2; exit 1; }
	@command -v cc >/dev/null || test "$$(id -u)" != 0 || ! command -v apt-get >/dev/null || \
		{ apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev; }
	@command -v tshark >/dev/null || test "$$(id -u)" != 0 || ! command -v apt-get >/dev/null || \
		{ apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends tshark; } || true
	@{ command -v iperf3 && command -v ip; } >/dev/null || test "$$(id -u)" != 0 || ! command -v apt-get >/dev/null || \
		{ apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends iperf3 iproute2; } || true
	@command -v cc >/dev/null || { echo "a C compiler is missing: install one, on Debian: apt-get install gcc libc6-dev" >&2; exit 1; }

# Formatting, lints and documentation, as .ci/run has them.
check:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps

# Rewrites the pages that are generated from tables in the code, and the curves of controllers.
docs:
	UPDATE_DOCS=1 $(CARGO) test -p narrows-measure -p narrows --test docs --test curves
