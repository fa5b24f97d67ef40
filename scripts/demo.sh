#!/bin/sh
# Grows a choice of the shipped models, or those named, and makes one page that shows them:
# demo.sh [FOLDER/MODEL...]
set -eu
cd "$(dirname "$0")/.."
out=out/demo
mkdir -p "$out"

# What each plant's caption says: the first comment of its model.
caption() {
    awk '/^\/\*/ {inside = 1} inside {gsub(/^\/\* ?| ?\*\/.*$|^ \* ?/, ""); print} /\*\// {exit}
         /^\/\/ / && !inside {sub(/^\/\/ ?/, ""); print; next} !inside {exit}' "$1" | tr '\n' ' '
}

[ $# -gt 0 ] || set -- plants/rose plants/young-oak plants/orchid plants/palm plants/raceme \
    plants/tropical-pot plants/weeping-willow plants/broad-leaf abop/fig-2.8a abop/fig-1.24c
files=
for model in "$@"; do
    name=$(basename "$model")
    echo "growing $name"
    build/tendril grow "scenes/$model.lsys" -o "$out/$name.glb"
    node -e 'const [path, name, text] = process.argv.slice(1);
        const title = name.replace(/-/g, " ").replace(/^./, (c) => c.toUpperCase());
        require("node:fs").writeFileSync(path, JSON.stringify({title, text: text.trim()}));' \
        "$out/$name.json" "$name" "$(caption "scenes/$model.lsys")"
    files="$files $out/$name.glb"
done
node scripts/demo-page.mjs -o out/demo.html $files
echo
echo "The plants are in $out; open this page in a browser: $(pwd)/out/demo.html"
