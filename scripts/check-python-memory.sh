#!/bin/sh
# Builds the Python package with the library of a sanitizer build, and makes random calls of all of it:
#   check-python-memory.sh BUILD SEED SECONDS [tests]
# With "tests" the package's own tests run before. What is freed is filled with a pattern, so that numbers that
# are read from it are wrong.
set -eu
cd "$(dirname "$0")/.."
build=$1
flags="-fsanitize=address,undefined -fno-sanitize=null,object-size -fno-sanitize-recover=all -shared-libasan"
TENDRIL_BUILD=$build TENDRIL_BINDING_FLAGS=-O0 CC="clang $flags" LDSHARED="clang -shared $flags" \
    /usr/bin/python3 setup.py --quiet build --build-temp "$build/python/made" --build-lib "$build/python" >/dev/null
export PYTHONPATH="$build/python" PYTHONMALLOC=malloc PYTHONDONTWRITEBYTECODE=1
export LD_PRELOAD="$(clang -print-file-name=libclang_rt.asan-x86_64.so)"
export ASAN_OPTIONS=detect_leaks=0:max_free_fill_size=1000000000:free_fill_byte=165:allocator_may_return_null=1
if [ "${4:-}" = tests ]; then
    # the others ask how fast something is, or run for minutes under the sanitizer
    /usr/bin/python3 -m pytest --quiet -p no:cacheprovider -k "not runs_while and not documents and not process"
fi
/usr/bin/python3 python/tests/random_calls.py "$2" "$3"
