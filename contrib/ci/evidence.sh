#!/usr/bin/env bash
# Evidence in the continuous integration of a transport project: checks a controller, and fails if a
# verdict is worse than the one that the project keeps.
#
#     evidence.sh CONTROLLER KEPT [OPTION...]
#
# CONTROLLER is a name or a file. KEPT is the check.json that the project keeps; it is created if it
# does not exist. Options are those of narrows check. The page with all cells is
# evidence/report.html, which replaces an earlier one. NARROWS names the program if it is not in
# PATH. After an intended change, delete KEPT.
# Exits with 0 if no verdict got worse, 1 if one did, 2 if the check could not be made.
set -euo pipefail

[[ $# -ge 2 ]] || { echo "usage: evidence.sh CONTROLLER KEPT [OPTION...]" >&2; exit 2; }
narrows=${NARROWS:-narrows} controller=$1 kept=$2
shift 2

# Remove the result of an earlier check.
[[ ! -e evidence/check.json ]] || rm -r evidence

if [[ -e $kept ]]; then
    exec "$narrows" check "$controller" --baseline "$kept" --out evidence --quiet "$@"
fi
status=0
"$narrows" check "$controller" --out evidence --quiet "$@" || status=$?
# A verdict of fail is kept too: later checks show whether it gets worse.
[[ $status -le 1 ]] || exit "$status"
mkdir -p "$(dirname "$kept")"
cp evidence/check.json "$kept"
echo "kept as $kept: commit it, and later checks are compared with it"
