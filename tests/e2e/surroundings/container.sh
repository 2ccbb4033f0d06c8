#!/bin/bash
# Programs in a container of the kernel's making: user, process and mount namespaces of its own, and a /dev/shm of its
# own, with room, with too little, read-only, or none. They run as they do outside, and the trace of one that is killed
# is completed inside or outside, wherever its spool can still be reached; else one line says what is missing.
. "$(dirname "$0")/lib.sh"
need unshare
contain=(timeout -k 5 600 unshare --user --map-root-user --pid --fork --kill-child --mount --mount-proc)
"${contain[@]}" mount -t tmpfs container /dev/shm 2>forbidden ||
    forbidden "no namespaces for this user: $(head -n 1 forbidden)"
export program xferspy preload simulated sanitizer_runtime

# What is done in each container: WHICH is its /dev/shm, and then which program runs.
cat >inside.sh <<'END'
set -eu
which=$1
case $which in
memory) mount -t tmpfs -o size=512m container /dev/shm ;;
too_small) mount -t tmpfs -o size=64m container /dev/shm ;; # as much as containers have by default
read_only) mount -t tmpfs -o ro container /dev/shm ;;
none)
    mkdir dev
    mount -t tmpfs container dev
    for node in null zero urandom; do
        : >dev/$node
        mount --bind /dev/$node dev/$node
    done
    mount --rbind dev /dev
    [ ! -e /dev/shm ]
    ;;
esac
traced() { exec env LD_LIBRARY_PATH="$simulated" LD_PRELOAD="$preload" XFERSPY_OUTPUT="$1" "$program" $2; }

case $2 in
ended) # bare and traced, one to its end
    env ${sanitizer_runtime:+LD_PRELOAD="$sanitizer_runtime"} LD_LIBRARY_PATH="$simulated" "$program" 100 \
        >$which.bare.stdout 2>$which.bare.stderr
    (traced $which.ended.db 100) >$which.stdout 2>$which.stderr
    "$xferspy" report $which.ended.db >$which.report 2>$which.report.stderr
    ;;
killed) # until somebody writes into the pipe
    traced $which.$3.db "0 $which.$3.count" >$which.$3.stdout 2>$which.$3.stderr &
    started=$!
    mkfifo $which.go
    read -r go <$which.go
    ls -d /dev/shm/xferspy-*/*.spool >$which.spools 2>/dev/null || true
    kill -KILL $started
    wait $started || true
    [ $3 != recovered ] || "$xferspy" report $which.$3.db >$which.$3.report 2>$which.$3.report.stderr
    ;;
esac
END
# kill_one WHICH WORD: one program is killed, after its trace was read from outside
kill_one() {
    local trace=$1.$2.db
    rm -f "$1.go"
    "${contain[@]}" sh inside.sh "$1" killed "$2" 2>container.err &
    local container=$!
    wait_for_copies "$1.$2.count" 500
    "$xferspy" report "$trace" >live.out 2>live.err || fail "$trace, while its process runs" live.out live.err
    one_line live.err
    says live.err "still being written"
    until [ -p "$1.go" ]; do sleep 0.02; done
    echo go >"$1.go"
    wait $container || fail "a container" container.err
    [ ! -s "$1.$2.stdout" ] && [ ! -s "$1.$2.stderr" ] || fail "a line of the killed one" "$1.$2.stdout" "$1.$2.stderr"
}
# nothing_beside TRACE
nothing_beside() {
    find . -maxdepth 1 -name "$1?*" >left
    [ ! -s left ] || fail "left beside $1" left
}

for which in memory too_small read_only none; do
    rm -rf dev
    "${contain[@]}" sh inside.sh $which ended 2>container.err || fail "$which" container.err $which.stderr
    cmp -s $which.bare.stdout $which.stdout && [ "$(cat $which.stdout)" = "data ok" ] ||
        fail "$which: standard output" $which.stdout
    same_errors $which.bare.stderr $which.stderr
    one_line $which.stderr # the closing line
    says $which.report "run       " "trace     $which.ended.db"
    [ ! -s $which.report.stderr ] || fail "$which: the report in the container" $which.report.stderr
    has $which.ended.db "SELECT direction, count(*), max(bytes) FROM transfer GROUP BY 1 ORDER BY 1" \
        $'1|100|100\n2|1|100'
    has $which.ended.db "SELECT value FROM meta WHERE key = 'status'" complete
    nothing_beside $which.ended.db
    [ $which = memory ] && continue

    # The spool lay beside the trace: what the container leaves is completed outside.
    rm -rf dev
    kill_one $which left
    [ ! -s $which.spools ] || fail "$which: a spool in memory" $which.spools
    [ -e $which.left.db.spool ] || fail "$which: no spool beside the trace"
    "$xferspy" report $which.left.db >report.out 2>report.err || fail "$which.left.db" report.out report.err
    one_line report.err
    says report.err "its process was killed" "were recovered"
    has_all $which.left.db $which.left.count
    has $which.left.db "SELECT value FROM meta WHERE key = 'status'" recovered
    nothing_beside $which.left.db
done

# In the container's own memory: a command inside takes it over,
kill_one memory recovered
[ -s memory.spools ] || fail "no spool in memory"
one_line memory.recovered.report.stderr
says memory.recovered.report.stderr "its process was killed" "were recovered"
has_all memory.recovered.db memory.recovered.count
nothing_beside memory.recovered.db

# and when the container is gone, with its memory, each command says in one line that the end is missing, and shows
# what had been taken over.
kill_one memory gone
spool=$(cat memory.spools)
for command in info report explain; do
    "$xferspy" $command memory.gone.db >command.out 2>command.err || fail "$command" command.out command.err
    one_line command.err
    says command.err "its process was killed" "its last events are not here, but in $spool" "in that container"
done
"$xferspy" merge -o gone.merged.db memory.gone.db memory.ended.db >command.out 2>command.err ||
    fail "merge" command.out command.err
says command.err "its last events are not here"
n=$(returned_of memory.gone.count)
has memory.gone.db "SELECT count(*) <= $n + 1, count(DISTINCT bytes) = count(*), count(*) = coalesce(max(bytes), 0)
    FROM transfer" '1|1|1'
[ -e memory.gone.db.spool ] || fail "the pointer to the spool is gone"

# Processes of two containers have the same number: neither trace is written over the other, and they are a job of two.
mkdir same
for copies in 100 200; do
    (cd same && "${contain[@]}" env LD_LIBRARY_PATH="$simulated" LD_PRELOAD="$preload" "$program" $copies) \
        >same.stdout 2>same.stderr || fail "a process that is the first of its container" same.stderr
    [ "$(cat same.stdout)" = "data ok" ] || fail "standard output" same.stdout
    one_line same.stderr
done
has same/xferspy-counted_copies.1.db "SELECT max(bytes) FROM transfer" 100
has same/xferspy-counted_copies.1.2.db "SELECT max(bytes) FROM transfer" 200
"$xferspy" report same >report.out 2>report.err || fail "report of both" report.out report.err
says report.out "A job of 2 processes on 1 host"

echo "PASS $name"
