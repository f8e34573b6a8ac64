#!/usr/bin/env bash
# Results must not depend on optimisation or on the number of threads: runs the same comparison and the same scenario four ways
# and compares what is printed, summary.json and report.html byte for byte. Arguments are those with which the tests were built.
set -euo pipefail
cd "$(dirname "$0")/.."

# As the tests are built: assertions and overflow checks are on, and of the same targets with the same features all is built already. The Python package is tested with it, too.
cargo build --quiet --workspace --lib --bins --tests --examples "$@"
cargo build --quiet --release -p narrows
target=${CARGO_TARGET_DIR:-target}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

results() { # BUILD JOBS: the results in $work/BUILD-JOBS
    local narrows=$target/$1/narrows out=$work/$1-$2
    mkdir "$out"
    "$narrows" compare newreno cubic "cubic?profile=rfc9438" bbr --duration "10 s" --loss "0.1 %" --seeds 2 \
        --quiet --jobs "$2" --out "$out/compare" >"$out/compare.txt"
    "$narrows" run scenarios/dumbbell.toml --seeds 2 --quiet --jobs "$2" --out "$out/run" >"$out/run.txt"
}

same() { # OTHER: compares it with the first
    local file
    for file in compare.txt run.txt {compare,run}/{summary.json,report.html}; do
        cmp "$work/debug-1/$file" "$work/$1/$file" || { echo "$1 differs from debug-1 in $file" >&2; exit 1; }
    done
}

results debug 1
for other in "debug 2" "release 1" "release 2"; do
    # shellcheck disable=SC2086
    results $other
    same "${other/ /-}"
done
echo "determinism: debug and release, one thread and two, give the same bytes"
