#!/bin/sh
# Installs what is missing for the given purpose, and nothing when all is there.
#   install-deps.sh build | demo | test | gallery | docs | peers
set -eu
cd "$(dirname "$0")/.."

purpose=${1:-build}
packages="gcc cmake ninja-build"
engines= # each may be missing from the system's packages
case $purpose in
build) packages="$packages libyaml-dev" ;;
demo) packages="$packages libyaml-dev nodejs clang lld wasi-libc libclang-rt-14-dev-wasm32" ;;
test) packages="$packages libyaml-dev g++ clang lld wasi-libc libclang-rt-14-dev-wasm32 libclang-rt-14-dev
    libfuzzer-14-dev pkg-config python3 clang-format-14 nodejs chromium libsundials-dev
    python3-venv python3-pip python3-numpy python3-cffi python3-setuptools python3-wheel python3-pytest
    libsdl2-dev libgl-dev libgl1-mesa-dri xvfb xauth" ;;
gallery) packages="$packages nodejs chromium" ;;
docs) packages="$packages libyaml-dev nodejs python3 mkdocs mkdocs-material" ;;
peers) packages="$packages g++ pkg-config"
    engines="libmujoco-dev libsimbody-dev libdart-dev libbullet-dev" ;;
*) echo "install-deps.sh: unknown purpose '$purpose'" >&2; exit 2 ;;
esac

# A tool that is on the path needs no package, wherever it came from.
have() {
    case $1 in
    ninja-build) command -v ninja ;;
    nodejs) command -v node && command -v npm ;;
    lld) command -v wasm-ld || command -v wasm-ld-14 ;;
    gcc | g++ | cmake | clang | pkg-config | python3 | clang-format-14 | chromium) command -v "$1" ;;
    *) dpkg -s "$1" ;;
    esac >/dev/null 2>&1
}

as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
updated=
install() {
    echo "installing:" "$@"
    [ -n "$updated" ] || $as_root apt-get update -qq
    updated=yes
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

missing=
for package in $packages; do
    have "$package" || missing="$missing $package"
done
case " $missing " in *" nodejs "*) missing="$missing npm" ;; esac
[ -z "$missing" ] || install $missing
for engine in $engines; do
    have "$engine" || install "$engine" || echo "cannot install $engine: it is left out" >&2
done

# Packages for the pages: what package-lock.json pins.
if [ "$purpose" != build ] && [ "$purpose" != peers ] && [ -f web/package-lock.json ]; then
    if [ ! -f web/node_modules/.package-lock.json ] ||
        [ web/package-lock.json -nt web/node_modules/.package-lock.json ]; then
        (cd web && npm ci --silent --no-audit --no-fund && touch node_modules/.package-lock.json)
    fi
fi
