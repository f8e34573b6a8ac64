#!/usr/bin/env bash
# Every test of the workspace in two lanes: programs whose tests wait for real time, and beside them, at a lower priority, those that compute. Arguments are those of
# cargo. `cargo test` runs the same tests one program after another, which takes longer.
set -euo pipefail
cd "$(dirname "$0")/.."

waiting='/(live|forward|kernel)$' # packages whose tests/ wait
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A line for each test program: the directory of its package, and its path.
"${CARGO:-cargo}" test --workspace "$@" --no-run --message-format=json-render-diagnostics >"$work/built"
sed -n 's/.*"manifest_path":"\([^"]*\)\/Cargo\.toml".*"test":true}.*"executable":"\([^"]*\)".*/\1 \2/p' "$work/built" >"$work/programs"
test -s "$work/programs" || { echo "cargo has named no test program" >&2; exit 1; }

lane() { # reads lines from standard input: runs these programs, and is false if one fails
    local failed=0 package program
    while read -r package program; do
        echo "     Running $program"
        (cd "$package" && CARGO_MANIFEST_DIR=$package "$program" </dev/null) || failed=1
    done
    return $failed
}

is_waiting() { [[ $1 =~ $waiting && ${2##*/} == it-* ]]; }

while read -r package program; do
    if is_waiting "$package" "$program"; then echo "$package $program" >>"$work/waiting"; else echo "$package $program" >>"$work/computing"; fi
done <"$work/programs"

status=0
lane <"$work/waiting" >"$work/waited" 2>&1 &
renice -n 10 $BASHPID >/dev/null
lane <"$work/computing" || status=1
"${CARGO:-cargo}" test --workspace "$@" --doc || status=1
wait $! || status=1
cat "$work/waited"
exit $status
