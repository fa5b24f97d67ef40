#!/bin/sh
# The viewer stays small enough to be fetched at once: check-sizes.sh BUILD
set -eu

# at_most BYTES FILE
at_most() {
    size=$(wc -c <"$2")
    echo "$2: $size bytes, at most $1"
    [ "$size" -le "$1" ]
}

at_most 940000 "$1/wasm/tendril_web.wasm" # 400,000 are wanted; adaptive dynamics, reductions, rolling and queries came last, with 127,000
at_most 2100000 "$1/share/tendril/viewer.html"
