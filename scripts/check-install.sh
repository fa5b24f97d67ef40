#!/bin/sh
# Installs the build given as $1 into a fresh folder and builds the consumers from there, by
# find_package and by pkg-config, in C and in C++.
set -eu
build=$(cd "${1:?build folder}" && pwd)
source=$(cd "$(dirname "$0")/../tests/install" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >/dev/null
"$work/prefix/bin/tendril" --version
for made in man/man1/tendril-grow.1 bash-completion/completions/tendril zsh/site-functions/_tendril \
    fish/vendor_completions.d/tendril.fish; do
    test -s "$work/prefix/share/$made"
done

# plants and scenes that cases of validate and bench take from beside the command
for file in $(sed -n 's|.*"\.\./\(scenes/[^"*%]*\.[a-z]*\)".*|\1|p' "$source"/../../src/cli/*.c); do
    test -s "$work/prefix/share/tendril/$file"
done
"$work/prefix/bin/tendril" grow "$work/prefix/share/tendril/scenes/plants/rose.lsys" --stats | tail -n 1

cmake -S "$source" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/cmake" >/dev/null
"$work/cmake/consumer_c"
"$work/cmake/consumer_cpp"
"$work/cmake/scene"
"$work/cmake/sway" | tail -n 1

pc=$(dirname "$(find "$work/prefix" -name tendril.pc)")
flags=$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs tendril)
cc -std=c11 -Wall -Wextra -Werror "$source/consumer.c" $flags -o "$work/pc_c"
c++ -std=c++11 -Wall -Wextra -Werror "$source/consumer.cpp" $flags -o "$work/pc_cpp"
"$work/pc_c"
"$work/pc_cpp"

# a program that reads a scene from YAML
flags=$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs tendril-yaml)
cc -std=c11 -Wall -Wextra -Werror "$source/scene.c" $flags -o "$work/pc_yaml"
"$work/pc_yaml"
