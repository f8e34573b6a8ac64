#!/usr/bin/env bash
# Results must not depend on the number of threads or on optimisation. Runs the same comparison and
# the same scenario with one thread and with two, and compares the output, summary.json and
# report.html byte for byte. `tests` uses the tests' build; `all` also uses a release build. Further
# arguments are the cargo arguments of the tests' build.
set -euo pipefail
cd "$(dirname "$0")/.."
case ${1:-} in
tests) builds=(debug) ;;
all) builds=(debug release) ;;
*) echo "usage: ci/determinism.sh tests|all [CARGO ARGUMENT]..." >&2; exit 2 ;;
esac
shift

# The tests' build has assertions and overflow checks. With the same targets and features,
# everything is built already. The Python package is tested with this build too.
cargo build --quiet --workspace --lib --bins --tests --examples "$@"
[[ ${#builds[@]} == 1 ]] || cargo build --quiet --release -p narrows
target=${CARGO_TARGET_DIR:-target}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

results() { # BUILD JOBS: the results in $work/BUILD-JOBS
    local narrows=$target/$1/narrows out=$work/$1-$2
    mkdir "$out"
    "$narrows" compare newreno cubic "cubic?profile=rfc9438" bbr --duration "10 s" --loss "0.1 %" --seeds 2 \
        --quiet --jobs "$2" --out "$out/compare" >"$out/compare.txt"
    "$narrows" compare noq:bbr3 noq:cubic quinn:cubic quinn:bbr copa@noq cubic@quinn --duration "10 s" --loss "0.1 %" --seeds 2 \
        --quiet --jobs "$2" --out "$out/quic" >"$out/quic.txt"
    "$narrows" run scenarios/dumbbell.toml --seeds 2 --quiet --jobs "$2" --out "$out/run" >"$out/run.txt"
}

same() { # OTHER: compares it with the first
    local file
    for file in compare.txt quic.txt run.txt {compare,quic,run}/{summary.json,report.html}; do
        cmp "$work/debug-1/$file" "$work/$1/$file" || { echo "$1 differs from debug-1 in $file" >&2; exit 1; }
    done
}

for build in "${builds[@]}"; do
    for jobs in 1 2; do
        results "$build" "$jobs"
        same "$build-$jobs"
    done
done
echo "determinism: ${builds[*]}, one thread and two, give the same bytes"
