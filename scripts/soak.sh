#!/bin/bash
# Long forms of the tests, some twenty minutes: unit tests with more cases (TEST_LONG), minutes of fuzzing
# under the sanitizers. `make test` runs the short forms.
set -u
cd "$(dirname "$0")/.."
export PATH="$PATH:/usr/lib/llvm-14/bin"
. scripts/parts.sh
. scripts/steps.sh

part release "build: gcc, release" "" configure_and_build release -DTENDRIL_BUILD_TESTS=ON --
part asan "build: clang, address and undefined sanitizers" "" configure_and_build asan
part unit "unit tests with more cases: gcc, release" "release" env TEST_LONG=1 ctest --test-dir build --output-on-failure -j "$each"
part validate "solvers against theory, with more cases" "release" build/tendril validate --long
part asan_room "room for pairs grows: sanitizers" "asan" build/asan/tests/tendril_tests room_for_pairs
part random "random calls of the API: sanitizers" "asan" build/asan/tests/random_api 100 180
part python_memory "tests and random calls of the Python package: sanitizers" "asan" \
    scripts/check-python-memory.sh build/asan 100 60 tests
part fuzz_grammar "fuzzing: grammars" "asan" fuzz fuzz_grammar 180 tests/fuzz/corpus scenes/abop scenes/plants
part fuzz_scene "fuzzing: scenes" "asan" fuzz fuzz_scene 180 tests/fuzz/scenes
part fuzz_lcp "fuzzing: complementarity problems" "asan" fuzz fuzz_lcp 180
run_parts build/parts-soak
