#!/bin/sh
# Renders a picture of every shipped model into docs/gallery and writes the page that shows them.
# `gallery.sh NAME...` renders only these.
set -eu
cd "$(dirname "$0")/.."
out=out/gallery
mkdir -p "$out" docs/gallery

glbs=
for model in scenes/plants/*.lsys scenes/abop/*.lsys; do
    name=$(basename "$model" .lsys)
    if [ $# -gt 0 ]; then
        case " $* " in *" $name "*) ;; *) continue ;; esac
    fi
    echo "growing $name"
    build/tendril grow "$model" -o "$out/$name.glb"
    glbs="$glbs $out/$name.glb"
done
node scripts/render.mjs --size 400x400 --type jpg --out docs/gallery $glbs

{
    echo "# Gallery"
    echo
    echo "Every model in \`scenes/\`, rendered by \`make gallery\`."
    for folder in plants abop; do
        echo
        [ $folder = plants ] && echo "## Plants" || echo "## Figures of The Algorithmic Beauty of Plants"
        echo
        echo "| | | |"
        echo "|---|---|---|"
        ls scenes/$folder/*.lsys | while read -r model; do
            name=$(basename "$model" .lsys)
            echo "![$name](gallery/$name.jpg)<br>[$name](../$model)"
        done | paste -d'|' - - - | sed 's/^/| /; s/|!/ | !/g; s/$/ |/'
    done
} >docs/gallery.md
echo "docs/gallery.md shows the pictures"
