#!/bin/sh
# The viewer stays small enough to be fetched at once: check-sizes.sh BUILD
set -eu

# at_most BYTES FILE
at_most() {
    size=$(wc -c <"$2")
    echo "$2: $size bytes, at most $1"
    [ "$size" -le "$1" ]
}

at_most 980000 "$1/wasm/tendril_web.wasm" # 400,000 are wanted; sleep, growth, cuts, drives and trees that stand still came last, with 40,000
at_most 2130000 "$1/share/tendril/viewer.html"
