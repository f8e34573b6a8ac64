#!/usr/bin/env bash
# Counts the published faults in crates/control/src/parts/mutated.rs that are found: by the search
# with its quick budget, each against the controller without the fault, and by the quick check, as a
# verdict that got worse. Takes about fifteen minutes on two cores. Arguments: names of mutants; all
# by default.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --quiet --release -p narrows --features mutants
narrows=$PWD/${CARGO_TARGET_DIR:-target}/release/narrows
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

found=0 turned=0 all=0
standing() { # STATUS NAME
    if [[ $1 -eq 1 ]]; then echo found; elif grep -q "knife's edge" "$work/$2.txt"; then echo edge; else echo missed; fi
}
mutant() { # NAME ORIGINAL GOAL GENOMES TRANSPORT
    [[ ${#wanted[@]} -eq 0 || " ${wanted[*]} " == *" $1 "* ]] || return 0
    all=$((all + 1))
    local status=0 transport=() line
    [[ -z $5 ]] || transport=(--transport "$5")
    "$narrows" attack "$1" --reference "$2" --goal "$3" --genome "$4" "${transport[@]}" --quick --quiet --out "$work/attack-$1" \
        >"$work/$1.txt" || status=$?
    [[ $status -le 1 ]] || { cat "$work/$1.txt"; exit 2; }
    found=$((found + status))
    line=$(grep -m1 -E "confirmed: score|knife's edge|fragile|fresh seeds" "$work/$1.txt" || grep -m1 'highest score' "$work/$1.txt")
    printf '%-18s search: %-9s %s\n' "$1" "$(standing $status "$1")" "$(echo "$line" | sed 's/^ *//; s/ over 30 fresh.*//')"
    status=0
    "$narrows" check "$1" --against "$2" --quick --quiet >"$work/$1.txt" || status=$?
    local worse
    worse=$(grep -E ' worse( |$)' "$work/$1.txt" || true)
    [[ -z $worse ]] || turned=$((turned + 1))
    printf '%-18s suite:  %-9s %s\n' "" "$([[ -n $worse ]] && echo found || echo missed)" "$(echo "$worse" | head -3 | tr -s ' ' | tr '\n' ';')"
}

wanted=("$@")
mutant cubic-overshoot cubic idle cross "sack=false"
mutant cubic-stale-rounds cubic idle steps ""
mutant bbr-equal-rtt bbr idle steps ""
mutant bbr-undo-keeps bbr idle reorder "loss_detection=dupack"
mutant bbr-idle-probe bbr idle pauses ""
mutant bbr-unlimited bbr idle pauses ""
mutant bbr-forgets bbr idle pauses ""
echo "the search finds $found of $all, the suite $turned"
