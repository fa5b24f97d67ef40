#!/bin/sh
# Every public header compiles alone, as C11 and as C++17, with the names taken that <windows.h> and others
# define as macros; all of them also compile as C++11. Every internal header compiles alone as C11 (those
# for SIMD lanes with two of them), except *_lanes.h and *_types.h, which others include once for each width.
set -eu
cd "$(dirname "$0")/.."
strict="-Wall -Wextra -Wconversion -Wpedantic -Werror -Iinclude -fsyntax-only"

# check STANDARD LANGUAGE HEADER
check() {
    compiler=cc
    [ "$2" = c ] || compiler=c++
    $compiler -std="$1" $strict -x "$2" -include "$3" /dev/null
    $compiler -std="$1" $strict -x "$2" -include scripts/common-macros.h -include "$3" /dev/null
}

for header in include/tendril/*.h; do
    check c11 c "$header"
    check c++17 c++ "$header"
done
check c++11 c++ include/tendril/tendril.h
for header in src/*/*.h; do
    case $header in *_lanes.h | *_types.h) continue ;; esac
    cc -std=c11 -Wall -Wextra -Werror -Wno-unused-function -D_POSIX_C_SOURCE=200809L -DTDI_LANES=2 -Iinclude -Isrc -fsyntax-only -x c -include "$header" /dev/null
done
echo "headers compile alone"
