#!/bin/bash
# Four processes that OpenMPI's mpirun started: names and traces by rank, their report and merge, and ranks that are
# killed: one by itself, and one whose death makes mpirun end the others.
. "$(dirname "$0")/lib.sh"
[ -z "$sanitizer_runtime" ] || forbidden "not with a sanitizer"
need mpirun
export program xferspy sanitizer_runtime LD_LIBRARY_PATH=$simulated
# No network and no other host: the launcher has nothing to look for.
mpirun=(timeout -k 5 600 mpirun -n 4 --oversubscribe --allow-run-as-root --mca plm isolated)
victim=2

# start WHICH [WORD...]: mpirun with these words, in a folder of its own
start() {
    which=$1
    shift
    mkdir -p "$which"
    (cd "$which" && exec "${mpirun[@]}" "$@" </dev/null >../"$which.stdout" 2>../"$which.stderr") &
    launcher=$!
}
end() {
    wait "$launcher"
    echo $? >"$which.status"
}
kill_victim() {
    wait_for_copies "$which/count.$victim" 500
    kill -KILL "$(process_of "$which/count.$victim")"
}
# compare BARE TRACED: what the launcher and its ranks printed, in whichever order, and how they ended
compare() {
    local part which
    for which in "$1" "$2"; do
        sort "$which.stdout" >"$which.stdout.sorted"
        grep -v '^xferspy: ' "$which.stderr" | sed 's/PID [0-9]*/PID N/g' | sort >"$which.stderr.sorted"
    done
    for part in status stdout.sorted stderr.sorted; do
        cmp -s "$1.$part" "$2.$part" || fail "$part is not that of the bare run" "$1.$part" "$2.$part"
    done
}
# trace_of RANK PATTERN: the one trace of that name
trace_of() {
    local found
    found=$(find "$which" -name "$2")
    [ -f "$found" ] || { ls "$which" >files; fail "not one trace $2 of rank $1" files; }
    has "$found" "SELECT value FROM meta WHERE key IN ('rank', 'world_size', 'local_rank', 'rank_source') ORDER BY key" \
        "$1"$'\n'"$1"$'\nOMPI_COMM_WORLD_RANK\n4'
    echo "$found"
}
nothing_left() {
    find "$which" -name '*.db?*' >left
    [ ! -s left ] || fail "left beside the traces" left
}

# ---- one rank is killed, and the launcher hears nothing of it ------------------------------------------------------

cat >rank.sh <<'END'
if [ "$OMPI_COMM_WORLD_RANK" = "$1" ]; then
    "$program" 0 "count.$1"
    exit 0
fi
exec "$program" $((1000 + OMPI_COMM_WORLD_RANK))
END
for which in bare traced; do
    words=(${sanitizer_runtime:+-x "LD_PRELOAD=$sanitizer_runtime"}) # which the simulated driver needs, too
    [ $which = bare ] || words=(-x "LD_PRELOAD=$preload")
    start $which ${words[@]+"${words[@]}"} sh "$work/rank.sh" $victim
    kill_victim
    end
done
compare bare traced
[ "$(cat traced.status)" = 0 ] && [ "$(cat traced.stdout)" = $'data ok\ndata ok\ndata ok' ] ||
    fail "three ranks end well" traced.status traced.stdout traced.stderr
[ "$(grep -c '^xferspy: ' traced.stderr)" = 3 ] || fail "a line of each rank that ended" traced.stderr

# The merge comes first: it takes over what the spool of the killed one has.
"$xferspy" merge -o merged.db traced >merge.out 2>&1 || fail "merge" merge.out
says merge.out "merged.db: 4 traces"
has merged.db 'SELECT name, rank FROM merged_trace ORDER BY rank' $'0|0\n1|1\n2|2\n3|3'
nothing_left
[ "$(find traced -name '*.db' | wc -l)" = 4 ] || fail "four traces"
for rank in 0 1 2 3; do
    pattern="xferspy-counted_copies.$(hostname).r$rank.*.db"
    trace=$(trace_of $rank "$pattern") || { echo "$trace"; exit 1; }
    pid=$(q "$trace" "SELECT value FROM meta WHERE key = 'pid'")
    [ "${trace##*/}" = "${pattern/\*/$pid}" ] || fail "$trace: the process is $pid"
    for trace in "$trace" "merged.db:$rank"; do
        if [ $rank = $victim ]; then
            has_all "$trace" traced/count.$victim
            status=recovered
        else
            has "$trace" 'SELECT direction, count(*), max(bytes) FROM transfer GROUP BY 1 ORDER BY 1' \
                $'1|'$((1000 + rank))'|'$((1000 + rank))$'\n2|1|'$((1000 + rank))
            status=complete
        fi
        has "$trace" "SELECT value FROM meta WHERE key = 'status'" $status
    done
done
for job in traced merged.db; do
    "$xferspy" report "$job" >report.out 2>report.err || fail "report $job" report.out report.err
    says report.out "A job of 4 processes on 1 host" "ranks     4 of 4" "Killed, or not closed: rank $victim only."
done

# ---- one rank is killed, and mpirun ends the others ----------------------------------------------------------------

cat >all.sh <<'END'
if [ "$1" = traced ]; then
    mkdir -p run
    exec env ${sanitizer_runtime:+LD_PRELOAD="$sanitizer_runtime"} "$xferspy" run --output=run/%h.%r.db -- "$program" 0 "count.$OMPI_COMM_WORLD_RANK"
fi
exec env ${sanitizer_runtime:+LD_PRELOAD="$sanitizer_runtime"} "$program" 0 "count.$OMPI_COMM_WORLD_RANK"
END
for which in bare traced; do
    rm -rf $which
    start $which sh "$work/all.sh" $which
    for rank in 0 1 2 3; do
        wait_for_copies $which/count.$rank 100
    done
    kill_victim
    end
done
[ "$(cat bare.status)" != 0 ] || fail "mpirun says that a rank was killed" bare.stderr
compare bare traced
"$xferspy" report traced/run >report.out 2>report.err || fail "report of the run" report.out report.err
says report.out "ranks     4 of 4" "Killed, or not closed: all 4 ranks."
nothing_left
for rank in 0 1 2 3; do
    trace=$(trace_of $rank "$(hostname).$rank.db") || { echo "$trace"; exit 1; }
    has_all "$trace" traced/count.$rank
done
echo "PASS $name"
