#!/bin/sh
# The viewer stays small enough to be fetched at once: check-sizes.sh BUILD
set -eu

# at_most BYTES WHAT, of standard input
at_most() {
    size=$(wc -c)
    echo "$2: $size bytes, at most $1"
    [ "$size" -le "$1" ]
}

# The module grows with the solvers; the limit finds code that came in by mistake. The page carries it
# packed, which halves it.
at_most 1600000 "$1/wasm/tendril_web.wasm" <"$1/wasm/tendril_web.wasm"
page=$1/share/tendril/viewer.html
at_most 2300000 "$page" <"$page"
# each picture of the gallery is a line of its own
sed '/^<script type="text\/plain" id="thumb-/d' "$page" | at_most 1700000 "$page without pictures"
