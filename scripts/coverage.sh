#!/bin/bash
# Line and branch coverage of src, without cli and web, by the unit tests and the validations: a table, and
# pages at build/coverage/report/index.html.
set -eu
cd "$(dirname "$0")/.."
export PATH="$PATH:/usr/lib/llvm-14/bin"
cmake --preset coverage >/dev/null
cmake --build build/coverage --target tendril_tests tendril_command
profiles=build/coverage/profiles
rm -rf "$profiles" && mkdir -p "$profiles"
LLVM_PROFILE_FILE="$PWD/$profiles/tests.profraw" build/coverage/tests/tendril_tests >build/coverage/tests.log || status=$?
cp build/coverage/tendril build/tendril-coverage # from where ../scenes is found
LLVM_PROFILE_FILE="$PWD/$profiles/validate.profraw" build/tendril-coverage validate >build/coverage/validate.log || status=$?
llvm-profdata merge -o "$profiles/all.profdata" "$profiles"/*.profraw
what=(build/coverage/tests/tendril_tests -object build/coverage/tendril -instr-profile "$profiles/all.profdata"
    -ignore-filename-regex '(tests|examples|include)/|src/(cli|web)/')
llvm-cov show "${what[@]}" -format=html -show-branches=count -output-dir=build/coverage/report
llvm-cov report "${what[@]}" -show-region-summary=false | tee build/coverage/report.txt | tail -n 1
echo "by file: build/coverage/report.txt; line by line: build/coverage/report/index.html"
exit "${status:-0}"
