#!/bin/sh
# Builds the plotting script of pages: plotly.js with only lines, dots and heat maps, in one file.
# Needs npm. The file is kept in the repository, so that building Narrows needs neither npm nor a
# network.
set -eu
version=${1:-3.7.0}
root=$(cd "$(dirname "$0")/.." && pwd)
out=$root/crates/report/src/page/assets/plotly.min.js
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --no-audit --no-fund --ignore-scripts "plotly.js@$version" esbuild@0.25 >/dev/null
cat > entry.js <<'END'
const Plotly = require("plotly.js/lib/core");
Plotly.register([require("plotly.js/lib/heatmap")]);
module.exports = Plotly;
END
banner="/* plotly.js v$version, lines, dots and heat maps. Copyright Plotly, Inc. MIT license. Made by ci/plotly.sh. */"
npx esbuild entry.js --bundle --minify --format=iife --global-name=Plotly --target=es2020 --define:global=window --legal-comments=none --loader:.css=empty \
    "--banner:js=$banner" --outfile="$out"
cp node_modules/plotly.js/LICENSE "${out%.min.js}.LICENSE.txt"
ls -l "$out"
