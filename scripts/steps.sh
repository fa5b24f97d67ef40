# Steps that scripts/test.sh and scripts/soak.sh share; parts.sh comes before.

# as many parts run at once as there are cores
each=$(((cores + 1) / 2))

# configure_and_build PRESET [OPTION OF CMAKE... --] [OPTION OF THE BUILD...]
configure_and_build() {
    local preset=$1 options=()
    shift
    if [[ " $* " == *" -- "* ]]; then
        while [ "$1" != -- ]; do options+=("$1"); shift; done
        shift
    fi
    cmake --preset "$preset" "${options[@]}" && cmake --build --preset "$preset" --parallel "$each" "$@"
}
# fuzz TARGET SECONDS [FOLDER OF INPUTS...]; scenes that find no rest take up to 11 s beside other parts
fuzz() {
    local corpus=build/fuzz/$1
    rm -rf "$corpus" && mkdir -p "$corpus"
    build/asan/tests/fuzz/"$1" -max_total_time="$2" -max_len=4096 -timeout=30 -rss_limit_mb=2048 \
        -print_final_stats=1 "$corpus" "${@:3}"
}
