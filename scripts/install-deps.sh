#!/bin/sh
# Installs what is missing for the given purpose, and nothing when all is there.
#   install-deps.sh build | demo | test
set -eu
cd "$(dirname "$0")/.."

purpose=${1:-build}
packages="gcc cmake ninja-build"
case $purpose in
build) ;;
demo) packages="$packages nodejs" ;;
test) packages="$packages g++ clang lld wasi-libc libclang-rt-14-dev-wasm32 libclang-rt-14-dev
    libfuzzer-14-dev pkg-config python3 clang-format-14 nodejs chromium" ;;
gallery) packages="$packages nodejs chromium" ;;
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

missing=
for package in $packages; do
    have "$package" || missing="$missing $package"
done
if [ -n "$missing" ]; then
    case " $missing " in *" nodejs "*) missing="$missing npm" ;; esac
    echo "installing:$missing"
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    $as_root apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

# Packages for the pages: what package-lock.json pins.
if [ "$purpose" != build ] && [ -f web/package-lock.json ]; then
    if [ ! -f web/node_modules/.package-lock.json ] ||
        [ web/package-lock.json -nt web/node_modules/.package-lock.json ]; then
        (cd web && npm ci --silent --no-audit --no-fund && touch node_modules/.package-lock.json)
    fi
fi
