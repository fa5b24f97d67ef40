#!/bin/sh
# The same string and the same .glb bytes from every build: $1 is the reference, the others follow. Each is
# the command, or tests/make_plant, which grows as the command does.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
reference=$1
count=0

# grow COMMAND MODEL: string and meshes, into $work/a.txt, a.glb and b.glb
grow() {
    : >"$work/b.glb"
    case $2 in # reducing is slow under sanitizers: plants only
    scenes/plants/*) few=$work/b.glb ;;
    *) few= ;;
    esac
    case $1 in
    */make_plant) "$1" "$2" "$work/a.glb" ${few:+"$few"} >"$work/a.txt" ;;
    *)
        "$1" grow "$2" -o "$work/a.glb" --string >"$work/a.txt"
        [ -z "$few" ] || "$1" grow "$2" --triangles 3000 --textures -o "$few"
        ;;
    esac
}

for command in "$@"; do
    for model in scenes/plants/*.lsys scenes/abop/*.lsys; do
        grow "$command" "$model"
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
