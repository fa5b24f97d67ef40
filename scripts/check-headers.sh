#!/bin/sh
# Every public header compiles alone, as C11 and as C++11, and so does every internal one as C11 (those
# for SIMD lanes with two of them), except *_lanes.h and *_types.h, which others include once for each width.
set -eu
cd "$(dirname "$0")/.."
for header in include/tendril/*.h; do
    cc -std=c11 -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only -x c -include "$header" /dev/null
    c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only -x c++ -include "$header" /dev/null
done
for header in src/*/*.h; do
    case $header in *_lanes.h | *_types.h) continue ;; esac
    cc -std=c11 -Wall -Wextra -Werror -Wno-unused-function -D_POSIX_C_SOURCE=200809L -DTDI_LANES=2 -Iinclude -Isrc -fsyntax-only -x c -include "$header" /dev/null
done
echo "headers compile alone"
