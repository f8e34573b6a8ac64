#!/usr/bin/env bash
# Tests the Python package with the tests' build, in target/python: an environment with the required
# packages, and the package itself. Left out if Python 3.11 or later with venv is missing, or if
# these packages cannot be installed. `environment`: only creates the environment.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
python3 -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    { echo "without Python 3.11 or later the tests of the Python package are skipped"; exit 0; }
test -x "$target/python/bin/python" || python3 -m venv "$target/python"
"$target/python/bin/pip" install --quiet --disable-pip-version-check -r python/requirements-test.txt ||
    { echo "without the packages of python/requirements-test.txt the tests of the Python package are skipped"; exit 0; }
"$target/python/bin/pip" install --quiet --disable-pip-version-check -r python/requirements-ray.txt ||
    echo "without the packages of python/requirements-ray.txt the tests of sweeps on Ray are skipped"

[[ ${1:-} != environment ]] || exit 0

package=$target/python-package
rm -rf "$package"
mkdir -p "$package"
cp -r python/narrows "$package/narrows"
cp "$target/debug/lib_narrows.so" "$package/narrows/_narrows.abi3.so"
export PYTHONPATH=$package NARROWS_PROGRAM=$target/debug/narrows
"$target/python/bin/mypy" --strict "$package/narrows"
"$target/python/bin/python" -m pytest -q python/tests
