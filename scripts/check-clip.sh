#!/bin/sh
# Recorded motion as other programs see it: check-clip.sh BUILD, which has tests/make_clip. The glTF
# is read as the specification says, the page is used in a browser, and where Blender is installed
# it imports the file as well.
set -eu
build=$(cd "${1:?build folder}" && pwd)
cd "$(dirname "$0")/.."
out=out/clip
rm -rf "$out" && mkdir -p "$out"

node scripts/player-page.mjs -o "$out/player.html"
"$build/tests/make_clip" "$out" scenes/plants/monopodial.lsys "$out/player.html"
node scripts/check-clip.mjs "$out/clip.glb" "$out/expected.csv" 30
node scripts/check-clip.mjs "$out/scene.html" "$out/expected.csv" 30 1e-4
node scripts/check-player.mjs "$out/scene.html" "$out/scene.png" "$out/expected.csv" 30
if command -v blender >/dev/null; then
    blender --background --factory-startup --python-exit-code 1 --python scripts/check-blender.py -- \
        "$out/clip.glb" "$out/expected.csv" 30
else
    echo "Blender is not installed: its import is not checked"
fi
