#!/bin/bash
# install-deps.sh waits for the locks of the package manager, says so, and gives up in the end. The real
# apt-get runs on a folder of its own, whose locks a program holds.
set -eu
cd "$(dirname "$0")/.."
command -v apt-get >/dev/null || { echo "no apt-get here: nothing to check"; exit 0; }
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{bin,lists/partial,archives/partial,dpkg}
printf 'Package: wanted\nStatus: install ok installed\nArchitecture: all\nMaintainer: none\nVersion: 1\nDescription: none\n' \
    >"$root/dpkg/status"

# apt-get of the folder: whichever packages it is asked for, it has; one that is not there where $MISSING is set
cat >"$root/bin/apt-get" <<END
#!/bin/sh
own="-o Dir::State::lists=$root/lists -o Dir::Cache::archives=$root/archives -o Dir::State::status=$root/dpkg/status
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=/dev/null"
case " \$* " in
*" update "*) exec $(command -v apt-get) \$own update ;;
*) exec $(command -v apt-get) \$own install -y \${MISSING:-wanted} ;;
esac
END
printf '#!/bin/sh\nexec "$@"\n' >"$root/bin/sudo"
printf '#!/bin/sh\nexit 1\n' >"$root/bin/dpkg"
printf '#!/bin/sh\nexec %s 0.05\n' "$(command -v sleep)" >"$root/bin/sleep"
chmod +x "$root"/bin/*

# hold LOCK...: until `free`
hold() {
    coproc python3 -c '
import fcntl, sys
files = [open(path, "w") for path in sys.argv[1:]]
for file in files:
    fcntl.lockf(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()' "$@"
    read -r _ <&"${COPROC[0]}"
}
free() {
    kill "$COPROC_PID"
    wait "$COPROC_PID" 2>/dev/null || true
}
fail() {
    echo "install-deps.sh $1:" >&2
    cat "$root/said" >&2
    exit 1
}
deps() {
    PATH=$root/bin:$PATH scripts/install-deps.sh build >"$root/said" 2>&1
}

for lock in lists/lock dpkg/lock-frontend; do
    hold "$root/$lock"
    rm -f "$root/said" # or what was said of the lock before would count
    deps &
    began=$!
    for _ in $(seq 1000); do
        grep -q waiting "$root/said" 2>/dev/null && break
        kill -0 "$began" 2>/dev/null || break
        sleep 0.05
    done
    free
    wait "$began" || fail "failed while $lock was held"
    grep -q "waiting for the package manager" "$root/said" || fail "did not say that it waits for $lock"
done

deps || fail "failed though nothing held a lock"
! grep -q waiting "$root/said" || fail "said that it waits though nothing held a lock"
! MISSING=no-such-package deps || fail "passed though a package is missing"
grep -q "no-such-package" "$root/said" || fail "did not say which package is missing"

hold "$root/lists/lock"
! LOCK_SECONDS=4 deps || fail "passed though the lock stayed"
free
grep -q "still held after 4 s" "$root/said" || fail "did not say that it gave up"
echo "set-up waits for the package manager"
