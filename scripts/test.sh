#!/bin/sh
# All tests, in the order in which they are quickest to tell what is wrong. Each part is a line of
# its own; the last line counts them.
set -u
cd "$(dirname "$0")/.."
export PATH="$PATH:/usr/lib/llvm-14/bin"
log=build/test.log
mkdir -p build
passed=0
failed=0

part() {
    name=$1
    shift
    start=$(date +%s)
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        echo "ok      $name ($(($(date +%s) - start)) s)"
    else
        failed=$((failed + 1))
        tail -n 60 "$log"
        echo "FAILED  $name"
    fi
}

# Begins a part that needs one core, beside others that need one: begin NAME COMMAND... and later
# finish.
begin() {
    beside=$1
    shift
    began=$(date +%s)
    "$@" >build/beside.log 2>&1 &
    beside_pid=$!
}
finish() {
    if wait "$beside_pid"; then
        passed=$((passed + 1))
        echo "ok      $beside ($(($(date +%s) - began)) s, beside others)"
    else
        failed=$((failed + 1))
        tail -n 60 build/beside.log
        echo "FAILED  $beside"
    fi
}

# configure_and_build PRESET [OPTION OF THE BUILD...]
configure_and_build() {
    cmake --preset "$1" && cmake --build --preset "$@"
}
# unit_tests BUILD
unit_tests() {
    ctest --test-dir "$1" --output-on-failure -j2
}
models_are_valid_gltf() {
    mkdir -p out/test && rm -f out/test/*.glb
    for model in scenes/plants/*.lsys scenes/abop/*.lsys; do
        build/tendril grow "$model" -o "out/test/$(basename "$model" .lsys).glb" || return 1
    done
    for model in scenes/plants/*.lsys; do
        build/tendril grow "$model" --triangles 5000 --textures -o "out/test/few-$(basename "$model" .lsys).glb" || return 1
    done
    node scripts/check-gltf.mjs out/test/*.glb
}
demo_page() {
    make --no-print-directory demo && test -s out/demo.html &&
        scripts/demo.sh plants/monopodial abop/parametric && node scripts/check-page.mjs out/demo.html out/demo.png
}
viewer_works() {
    build/tendril view scenes/rose-wilts.yaml --no-open -o build/viewed.html &&
        node scripts/check-viewer.mjs build/share/tendril/viewer.html --given build/viewed.html --references web/references
}
fuzz() {
    rm -rf build/fuzz-corpus build/fuzz-scenes build/fuzz-lcp
    mkdir -p build/fuzz-corpus build/fuzz-scenes build/fuzz-lcp
    limits="-max_total_time=25 -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1"
    build/asan/tests/fuzz/fuzz_scene $limits build/fuzz-scenes tests/fuzz/scenes >build/fuzz-scenes.log 2>&1 &
    scenes=$!
    build/asan/tests/fuzz/fuzz_lcp $limits build/fuzz-lcp >build/fuzz-lcp.log 2>&1 &
    lcp=$!
    build/asan/tests/fuzz/fuzz_grammar $limits build/fuzz-corpus tests/fuzz/corpus scenes/abop scenes/plants
    grammar=$?
    wait $lcp || { tail -n 60 build/fuzz-lcp.log; return 1; }
    wait $scenes || { tail -n 60 build/fuzz-scenes.log; return 1; }
    return $grammar
}

part "code is formatted" sh -c 'clang-format-14 --dry-run -Werror $(git ls-files "*.c" "*.h")'
part "layers are kept" python3 scripts/check-layers.py
part "headers compile alone" scripts/check-headers.sh
part "public functions are used, structs have defaults" python3 scripts/check-api.py
part "build: gcc, release" cmake --preset release -DTENDRIL_BUILD_TESTS=ON
part "build: gcc, release, all" cmake --build --preset release
part "unit tests: gcc, release" unit_tests build
part "build: clang, address and undefined sanitizers" configure_and_build asan
# threads that share a large tree are watched by the thread sanitizer, models that are cut off by the
# fuzzer; the others are long, not wide
part "unit tests: sanitizers" env TEST_EXCEPT=steps_of_a_large_tree,large_limp_tree,rest_of_a_large_tree,tree_afloat_keeps_energy,tree_of_a_million_links,storm_steps,contact_heap_of_all_solvers,stands_still_for_a_minute,adapt_smaller_errors,every_shipped_drawing_becomes_rods,coily_strand_comes_to_rest,lead_to_the_same_place,limits_are_never_passed,heap_of_rods_comes_to_rest,every_shipped_plant_becomes_rods,plant_models_cut_off \
    ctest --test-dir build/asan --output-on-failure -j2
part "build: clang, thread sanitizer" configure_and_build tsan --target tendril_tests
part "threads: thread sanitizer" env TEST_EXCEPT=large_limp_tree build/tsan/tests/tendril_tests thread
part "build: gcc, debug" configure_and_build dev --target tendril_command
part "build: clang, release" configure_and_build clang
part "every build gives the same bytes" scripts/check-determinism.sh build/tendril build/dev/tendril build/clang/tendril build/asan/tendril
part "build: WebAssembly" configure_and_build wasm
# heaps and models that are cut off are long, and the same code
part "unit tests: WebAssembly under node" ctest --test-dir build/wasm --output-on-failure -j2 -E 'test_contact_exact|test_truncate'
part "WebAssembly moves as native code does" node scripts/check-wasm.mjs build/wasm/tendril_web.wasm build/tests/make_poses
part "build: the viewer" make --no-print-directory viewer
part "module and page are small" scripts/check-sizes.sh build
begin "solvers against theory" build/tendril validate
part "an installed tree serves C and C++" scripts/check-install.sh build
part "a plant in a window" scripts/check-window.sh build
part "command line" python3 tests/cli/test_cli.py build/tendril
# runs that are killed and resumed again and again are slow there, and nothing of them is a parser
part "command line: sanitizers" python3 tests/cli/test_cli.py build/asan/tendril Help Grow Cpfg Plot Bodies Run Scenes BadInput
part "scenes run" python3 tests/cli/test_scenes.py build/tendril
part "Python package" scripts/check-python.sh build
part "examples in the docs run" python3 scripts/check-docs.py build
part "models are valid glTF" models_are_valid_gltf
part "pages type-check" sh -c 'cd web && npm run --silent typecheck'
part "demo page works in a browser" demo_page
part "recorded motion in glTF and in a page" scripts/check-clip.sh build
finish
begin "fuzzing for 25 s" fuzz
part "viewer works in a browser" viewer_works
finish

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
