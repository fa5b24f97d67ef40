#!/bin/bash
# All tests: test.sh; or those of the daily loop: test.sh quick. Each part is a line of its own; the last
# line counts them.
set -u
cd "$(dirname "$0")/.."
export PATH="$PATH:/usr/lib/llvm-14/bin"
. scripts/parts.sh
. scripts/steps.sh

# unit_tests BUILD [OPTION OF CTEST...]
unit_tests() {
    ctest --test-dir "$1" --output-on-failure -j "$each" "${@:2}"
}
short_unit_tests() {
    TEST_EXCEPT=$long_tests unit_tests "$@"
}
formatted() {
    clang-format-14 --dry-run -Werror $(git ls-files "*.c" "*.h")
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

# threads that share a large tree are watched by the thread sanitizer, models that are cut off by the
# fuzzer; the others are long, not wide
long_tests=steps_of_a_large_tree,large_limp_tree,rest_of_a_large_tree,tree_afloat_keeps_energy
long_tests+=,tree_of_a_million_links,contact_heap_of_all_solvers,stands_still_for_a_minute
long_tests+=,adapt_smaller_errors,every_shipped_drawing_becomes_rods,coily_strand_comes_to_rest
long_tests+=,heap_of_rods_comes_to_rest
long_tests+=,every_shipped_plant_becomes_rods,plant_models_cut_off,heap_that_threads_share
long_tests+=,contact_forces_of_a_heap,rods_made_for_their_drawn_shape
# orders, moments and comparisons with dense algebra: the same code again and again
long_tests+=,random_binomial_has_its_moments,weed_has_the_mean_and_spread
long_tests+=,within_1e_7_of_dense_long_double,solves_the_equations_of_long_chains
long_tests+=,knot_pulled_to_half_more
long_tests+=,heap_in_which_members_wait_goes,long_chains_with_bars,impact_of_random_trees_never
long_tests+=,three_ways_of_dynamics_agree
long_tests+=,rewriting_equals_a_plain_text_rewriter,koch_island_counts
long_tests+=,as_a_ratio_is_the_decay,plants_sway_at_the_first_frequency
long_tests+=,leave_forces_of_all_joints_in_balance
long_tests+=,long_chains_take_few
long_tests+=,advance_with_,limp_chain,conform_bonds_between,stem_that_is_jammed
long_tests+=,strand_of_tight_coils,tree_rows_eliminated,tree_rows_let_most,hessian_of_
long_tests+=,plants_at_rest_as_rods_and_as_trees,still_trees_are_where
long_tests+=,point_out_of_reach_is_pulled,rope_on_drums_neither,slides_down_a_slope_at_any,solid_that_turns_goes,on_the_barrier_slides,drums_that_move,suddenly_shorter
# a minute under the sanitizers; scripts/soak.sh runs the first there
long_tests+=,room_for_pairs_grows_and,what_lies_on_a_solid_goes

cheap_parts() {
    part format "code is formatted" "" formatted
    part layers "layers are kept" "" python3 scripts/check-layers.py
    part links "links of the docs lead somewhere" "" python3 scripts/site/links.py
    part constants "constants in the docs are those of the code" "" python3 scripts/check-constants.py
    part api "public functions are used, structs have defaults" "" python3 scripts/check-api.py
}

# What a change most often breaks.
quick_parts() {
    cheap_parts
    each=$cores
    part release "build: gcc, release" "format layers api" configure_and_build release -DTENDRIL_BUILD_TESTS=ON -- \
        --target tendril_command tendril_tests
    part unit "unit tests: gcc, release" "release" short_unit_tests build -E example
    part cli "command line" "unit" python3 tests/cli/test_cli.py build/tendril Help Grow Scenes BadInput
}

# Long chains first: a build and what needs it; at the end, what is short.
all_parts() {
    cheap_parts
    part asan "build: clang, address and undefined sanitizers" "" configure_and_build asan
    part release "build: gcc, release" "" configure_and_build release -DTENDRIL_BUILD_TESTS=ON --
    part wasm "build: WebAssembly" "" configure_and_build wasm
    part viewer "build: the viewer" "wasm release" make --no-print-directory viewer
    part asan_unit "unit tests: sanitizers" "asan" short_unit_tests build/asan
    part viewer_works "viewer works in a browser" "viewer" viewer_works
    part tsan "build: clang, thread sanitizer" "" configure_and_build tsan --target tendril_tests
    part validate "solvers against theory" "release" build/tendril validate
    part clang "build: clang, release of what grows plants" "" configure_and_build clang --target make_plant
    # heaps and models that are cut off are long, and the same code; so are tangles that find no rest by
    # the rounding there
    part wasm_unit "unit tests: WebAssembly under node" "wasm" \
        env TEST_EXCEPT="$long_tests,contact_exact_,cut_off_at_any_byte,let_most_trees_come_to_rest" ctest --test-dir build/wasm --output-on-failure
    part unit "unit tests: gcc, release" "release" unit_tests build
    part tsan_unit "threads: thread sanitizer" "tsan" env TEST_EXCEPT=large_limp_tree build/tsan/tests/tendril_tests thread
    part cli "command line" "release" python3 tests/cli/test_cli.py build/tendril
    # runs that are killed and resumed again and again are slow there, and nothing of them is a parser
    part asan_cli "command line: sanitizers" "asan" \
        python3 tests/cli/test_cli.py build/asan/tendril Help Grow Cpfg Plot Bodies Run Scenes BadInput
    part dev "build: gcc, debug of what grows plants" "" configure_and_build dev --target make_plant
    part demo "demo page works in a browser" "viewer" demo_page
    part scenes "scenes run" "release" python3 tests/cli/test_scenes.py build/tendril
    part window "a plant in a window" "release" scripts/check-window.sh build
    part python "Python package" "release" scripts/check-python.sh build
    part bytes "every build gives the same bytes" "release dev clang asan" \
        scripts/check-determinism.sh build/tendril build/dev/tests/make_plant build/clang/tests/make_plant build/asan/tendril
    part clip "recorded motion in glTF and in a page" "release" scripts/check-clip.sh build
    part docs "examples in the docs run" "viewer demo" python3 scripts/check-docs.py build
    part gltf "models are valid glTF" "release" models_are_valid_gltf
    part random "random calls of the API: sanitizers" "asan" build/asan/tests/random_api 1 20
    part python_memory "random calls of the Python package: sanitizers" "asan" scripts/check-python-memory.sh build/asan 1 10
    part fuzz_grammar "fuzzing: grammars" "asan" fuzz fuzz_grammar 15 tests/fuzz/corpus scenes/abop scenes/plants
    part fuzz_scene "fuzzing: scenes" "asan" fuzz fuzz_scene 15 tests/fuzz/scenes
    part fuzz_lcp "fuzzing: complementarity problems" "asan" fuzz fuzz_lcp 15
    part deps "set-up waits for the package manager" "" scripts/check-deps.sh
    part headers "headers compile alone" "" scripts/check-headers.sh
    part install "an installed tree serves C and C++" "release" scripts/check-install.sh build
    part wasm_same "WebAssembly moves as native code does" "wasm release" \
        node scripts/check-wasm.mjs build/wasm/tendril_web.wasm build/tests/make_poses
    part sizes "module and page are small" "viewer" scripts/check-sizes.sh build
    part types "pages type-check" "" sh -c 'cd web && npm run --silent typecheck'
}

if [ "${1:-}" = quick ]; then
    quick_parts
else
    all_parts
fi
run_parts build/parts
