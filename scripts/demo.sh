#!/bin/sh
# Grows a choice of the shipped models and makes one page that shows them.
set -eu
cd "$(dirname "$0")/.."
out=out/demo
mkdir -p "$out"

# What each plant's caption says: the first comment of its model.
caption() {
    awk '/^\/\*/ {inside = 1} inside {gsub(/^\/\* ?| ?\*\/.*$|^ \* ?/, ""); print} /\*\// {exit}
         /^\/\/ / && !inside {sub(/^\/\/ ?/, ""); print; next} !inside {exit}' "$1" | tr '\n' ' '
}

files=
for model in plants/rose plants/young-oak plants/orchid plants/palm plants/weeping-willow \
    plants/tropical-pot plants/raceme plants/broad-leaf abop/fig-1.25 abop/fig-2.8a abop/fig-1.24c; do
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
