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
lock_seconds=${LOCK_SECONDS:-600}
said=$(mktemp)
trap 'rm -f "$said"' EXIT

# apt-get, once no other program holds its locks: a fresh machine updates itself for minutes after its start.
# DPkg::Lock::Timeout alone would wait in silence, and not for the lock that `update` takes.
apt() {
    waited=0
    until $as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=1 "$@" \
        >/dev/null 2>"$said"; do
        if ! grep -Eq "Could not get lock|is another process using it" "$said"; then
            cat "$said" >&2
            return 1
        fi
        if [ "$waited" -ge "$lock_seconds" ]; then
            cat "$said" >&2
            echo "the package manager's lock is still held after $lock_seconds s: try again later" >&2
            return 1
        fi
        [ "$waited" -gt 0 ] ||
            echo "waiting for the package manager, up to $lock_seconds s: $(head -n 1 "$said")" >&2
        sleep 2
        waited=$((waited + 2))
    done
    cat "$said" >&2
}

updated=
install() {
    echo "installing:" "$@"
    [ -n "$updated" ] || apt update
    updated=yes
    apt install -y --no-install-recommends "$@"
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
