#!/bin/sh
# The same string and the same .glb bytes from every build: $1 is the reference, the others follow.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
reference=$1
count=0
for command in "$@"; do
    for model in scenes/plants/*.lsys scenes/abop/*.lsys; do
        "$command" grow "$model" -o "$work/a.glb" --string >"$work/a.txt"
        : >"$work/b.glb"
        case $model in # reducing is slow under sanitizers: plants only
        scenes/plants/*) "$command" grow "$model" --triangles 3000 --textures -o "$work/b.glb" ;;
        esac
        sum=$(cat "$work/a.glb" "$work/b.glb" "$work/a.txt" | cksum)
        key=$work/$(basename "$model").sum
        if [ "$command" = "$reference" ]; then
            echo "$sum" >"$key"
        elif [ "$sum" != "$(cat "$key")" ]; then
            echo "$model: $command and $reference differ" >&2
            exit 1
        fi
        count=$((count + 1))
    done
done
echo "$count outputs of $# builds are the same bytes"
