#!/bin/sh
# Tests the add-on in Blender, which must be there: check-addon.sh BUILD
set -eu
cd "$(dirname "$0")/.."
build=$(realpath "$1")
if ! command -v blender >/dev/null; then
    echo "Blender is missing: install the package 'blender' (500 MB), then run this again" >&2
    exit 1
fi
python3 scripts/addon.py "$build/tendril-blender.zip"
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
# the Python package, where it has been built for the tests
packages=$(ls -d "$build"/venv/lib/python3*/site-packages 2>/dev/null || true)
BLENDER_USER_SCRIPTS=$home/scripts BLENDER_USER_CONFIG=$home/config PYTHONPATH=$packages \
    blender --background --factory-startup --python-use-system-env --python-exit-code 1 \
    --python blender/tests/test_addon.py -- "$build/tendril-blender.zip" "$build/tendril" "$build/blender.png"
echo "a render of the baked motion: $build/blender.png"
