#!/bin/sh
# Installs the Python package as its guide says, with the library that is built, and tests it:
#   check-python.sh BUILD
set -eu
cd "$(dirname "$0")/.."
build=$1
rm -rf "$build/venv"
/usr/bin/python3 -m venv --system-site-packages "$build/venv"
TENDRIL_BUILD=$build "$build/venv/bin/pip" install --quiet --no-build-isolation --no-deps --no-index .
"$build/venv/bin/python" -m pytest --quiet -p no:cacheprovider
