# A list of parts and their run, for scripts/test.sh: parts that need others wait for them, as many run at
# once as there are cores, and what they say is told in the order of the list.

cores=$(nproc)
declare -a parts=()
declare -A title=() needs=() command=() state=() part_of=()

# part ID TITLE "IDS THAT IT NEEDS" COMMAND...: the earlier in the list, the earlier it starts. What it needs
# stands before it.
part() {
    parts+=("$1")
    title[$1]=$2
    needs[$1]=$3
    state[$1]=waiting
    local id=$1
    shift 3
    command[$id]="${*@Q}"
}

# Whether all that a part needs is done: 0 yes, 1 not yet, 2 never.
ready() {
    local other
    for other in ${needs[$1]}; do
        case ${state[$other]:-absent} in
        ok) ;;
        waiting | running) return 1 ;;
        *) return 2 ;;
        esac
    done
}

start() {
    (
        TIMEFORMAT="%R %U %S"
        exec 3>"$logs/$1.time"
        { time eval "${command[$1]}" >"$logs/$1.log" 2>&1; } 2>&3
    ) &
    state[$1]=running
    part_of[$!]=$1
}

# Starts parts until all cores are at work.
start_all() {
    local id
    for id in "${parts[@]}"; do
        [ "${#part_of[@]}" -lt "$cores" ] || return 0
        [ "${state[$id]}" = waiting ] || continue
        ready "$id"
        case $? in
        0) start "$id" ;;
        2) state[$id]=left ;;
        esac
    done
}

# Tells of those that ended, up to the first that still runs.
tell() {
    local id
    while [ "$told" -lt "${#parts[@]}" ]; do
        id=${parts[$told]}
        case ${state[$id]} in
        waiting | running) return 0 ;;
        ok)
            awk -v t="${title[$id]}" '{printf "ok      %s (%.0f s, %.0f s of a core)\n", t, $1, $2 + $3}' \
                "$logs/$id.time"
            passed=$((passed + 1)) ;;
        *)
            [ "${state[$id]}" = left ] || tail -n 60 "$logs/$id.log"
            echo "FAILED  ${title[$id]}$([ "${state[$id]}" = failed ] || echo ': what it needs failed')"
            failed=$((failed + 1)) ;;
        esac
        told=$((told + 1))
    done
}

# Runs all parts; what they print is kept in the folder $1. Gives whether all passed.
run_parts() {
    logs=$1
    local began=$SECONDS ended status
    passed=0 failed=0 told=0
    rm -rf "$logs"
    mkdir -p "$logs"
    trap 'kill $(jobs -p) 2>/dev/null; exit 130' INT TERM
    while :; do
        start_all
        tell
        [ "${#part_of[@]}" -gt 0 ] || break
        wait -n -p ended "${!part_of[@]}"
        status=$?
        [ "$status" = 0 ] && state[${part_of[$ended]}]=ok || state[${part_of[$ended]}]=failed
        unset "part_of[$ended]"
    done
    echo "$passed passed, $failed failed, $((SECONDS - began)) s"
    [ "$failed" = 0 ]
}
