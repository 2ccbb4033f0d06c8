#!/bin/bash
# A user with no rights: no home, no runtime folder, folders that cannot be written; traces of another user; and a
# sticky folder, as /tmp is, in which another user planted files where ours are going to be.
here=$(cd "$(dirname "$0")" && pwd)
# As root in a mount namespace with a /dev/shm of its own: nothing of the users of this test is left in the machine's.
if [ "$(id -u)" = 0 ] && [ -z "${XFERSPY_TEST_MOUNTED:-}" ] && unshare --mount true 2>/dev/null; then
    export XFERSPY_TEST_MOUNTED=1
    exec unshare --mount bash "$0" "$@"
fi
own_memory=${XFERSPY_TEST_MOUNTED:-}
. "$here/lib.sh"
need setpriv unshare
user=65534 other=65533
if [ "$(id -u)" = 0 ]; then
    as() { setpriv --reuid="$1" --regid="$1" --clear-groups "${@:2}"; }
else # as one other than the machine's users, with the same rights; there is no second one
    as() { unshare --user --map-user="$1" --map-group="$1" "${@:2}"; }
fi
as $user true 2>forbidden || forbidden "no other user can be had: $(head -n 1 forbidden)"
[ -z "$own_memory" ] || mount -t tmpfs -o size=512m xferspy-e2e /dev/shm || forbidden "no tmpfs at /dev/shm"

# What is used lies where such a user may read.
chmod 755 .
mkdir bin
cp "$program" "$library" "$xferspy" "$simulated"/lib*.so* bin/
chmod -R a+rX bin
xferspy=$work/bin/xferspy preload=${sanitizer_runtime:+$sanitizer_runtime:}$work/bin/libxferspy.so
base=(env -u HOME -u XDG_RUNTIME_DIR "LD_LIBRARY_PATH=$work/bin")
xs() { as "$reader" "${base[@]}" "$xferspy" "$@"; }
reader=$user
q() { xs query --format tsv "$1" "$2" 2>>query.stderr | tail -n +2 | tr '\t' '|'; }
folder() { # folder NAME MODE: of the user
    mkdir "$1"
    [ "$(id -u)" != 0 ] || chown $user:$user "$1"
    chmod "$2" "$1"
}
# traced FOLDER OUTPUT COPIES [COUNT] [NAME=VALUE...]: in that folder; bare first, and what they print is the same
traced() {
    local in=$1 output=$2 words=("$3")
    [ -z "${4:-}" ] || words+=("$4")
    (cd "$in" && as $user "${base[@]}" ${sanitizer_runtime:+LD_PRELOAD="$sanitizer_runtime"} "${@:5}" \
        "$work/bin/counted_copies" "${words[@]}") >bare.stdout 2>bare.stderr
    local status=$?
    (cd "$in" && exec 2>"$work/traced.stderr" && as $user "${base[@]}" LD_PRELOAD="$preload" \
        ${output:+XFERSPY_OUTPUT="$output"} "${@:5}" "$work/bin/counted_copies" "${words[@]}") >traced.stdout
    [ $status = $? ] || fail "$in: the exit status is not $status" traced.stderr
    [ $status = 0 ] && [ "$(cat bare.stdout)" = "data ok" ] || fail "$in: the bare run" bare.stderr
    cmp -s bare.stdout traced.stdout || fail "$in: standard output" traced.stdout
    same_errors bare.stderr traced.stderr
    one_line traced.stderr
}
# killed FOLDER OUTPUT: its copies are counted in FOLDER/count
killed() {
    rm -f "$1/count"
    (cd "$1" && as $user "${base[@]}" LD_PRELOAD="$preload" XFERSPY_OUTPUT="$2" "$work/bin/counted_copies" 0 count) \
        >killed.stdout 2>killed.stderr &
    local job=$!
    wait_for_copies "$1/count" 500
    spools=$(ls /dev/shm/xferspy-$user/*.spool 2>/dev/null)
    kill -KILL "$(process_of "$1/count")"
    wait $job 2>/dev/null
    [ ! -s killed.stdout ] && ! grep -v Killed killed.stderr >unexpected || fail "the killed one speaks" killed.stderr
}
hundred() {
    has "$1" "SELECT direction, count(*), max(bytes) FROM transfer GROUP BY 1 ORDER BY 1" $'1|100|100\n2|1|100'
}
status_is() { has "$1" "SELECT value FROM meta WHERE key = 'status'" "$2"; }

# ---- folders -------------------------------------------------------------------------------------------------------

folder own 700
folder closed 500
homes=0
for home in HOME=/nonexistent "HOME=$work/closed" HOME= NONE=; do
    homes=$((homes + 1))
    traced own $homes.db 100 '' "$home"
    [ "$(stat -c '%a %s' own/$homes.db | cut -d ' ' -f 1)" = 600 ] || fail "$home: mode" traced.stderr
    hundred own/$homes.db
    status_is own/$homes.db complete
    as $user "${base[@]}" "$home" "$xferspy" report own/$homes.db >report.out 2>report.err ||
        fail "$home: report" report.out report.err
    [ ! -s report.err ] || fail "$home: a line of the report" report.err
done
# A runtime folder of somebody else's, or one that is not there.
for runtime in XDG_RUNTIME_DIR=/nonexistent "XDG_RUNTIME_DIR=$work/closed" XDG_RUNTIME_DIR=/; do
    traced own "runtime.db" 100 '' "$runtime"
    hundred own/runtime.db
    rm own/runtime.db
done
for output in "$work/closed/x.db" ''; do
    traced closed "$output" 100
    says traced.stderr "cannot write $work/closed/" "ermission denied"
done
traced closed "$work/own/elsewhere.db" 100
hundred own/elsewhere.db
[ -z "$(ls -A closed)" ] || fail "something in a folder that cannot be written"

# Commands of such a user cannot write there either.
as $user "${base[@]}" "$xferspy" anonymize own/1.db -o closed/copy.db >page.out 2>page.err && fail "a copy there"
one_line page.err
says page.err closed/copy.db

# ---- killed --------------------------------------------------------------------------------------------------------

folder kill 755
killed kill mine.db
[ -z "$own_memory" ] || [ -n "$spools" ] || fail "no spool in /dev/shm"
has_all kill/mine.db kill/count
status_is kill/mine.db recovered
[ -z "$(ls kill/*.db?* 2>/dev/null)" ] || fail "left beside kill/mine.db"

# The folder cannot be written any more when the trace is read: all that it holds is still shown.
killed kill closed.db
chmod 500 kill
xs report kill/closed.db >report.out 2>report.err || fail "in a folder that cannot be written" report.out report.err
has_all kill/closed.db kill/count
chmod 755 kill
has_all kill/closed.db kill/count
status_is kill/closed.db recovered
[ -z "$(ls kill/*.db?* 2>/dev/null)" ] || fail "left beside kill/closed.db"

# What is left of others is for commands: the library looks at no other spool.
if [ -n "$own_memory" ]; then
    killed kill lost.db
    rm kill/lost.db*
    touch -d '10 days ago' $spools
    before=$(stat -c '%a %Y' $spools)
    traced own after.db 100
    [ "$(stat -c '%a %Y' $spools)" = "$before" ] || fail "the library looks at another spool"
    xs report own/after.db >report.out 2>report.err || fail "report" report.out report.err
    [ "$(stat -c %a $spools)" = 400 ] || fail "a spool without a trace is not marked"
    touch -d '4 days ago' $spools
    xs report own/after.db >report.out 2>report.err || fail "report" report.out report.err
    [ ! -e $spools ] || fail "a spool without a trace stays"
fi

# ---- another user --------------------------------------------------------------------------------------------------

if [ "$(id -u)" = 0 ]; then
    killed kill theirs.db
    cp -a kill before
    reader=$other
    for command in report info check "query --format=tsv" symbolize; do
        sql=
        [ "$command" != "query --format=tsv" ] || sql="SELECT 1"
        xs $command kill/theirs.db ${sql:+"$sql"} >other.out 2>other.err && fail "$command reads it" other.out
        [ ! -s other.out ] || fail "$command prints something" other.out
        one_line other.err
        says other.err "kill/theirs.db: " "ermission denied"
    done
    as $user cp kill/mine.db kill/open.db
    chmod 644 kill/open.db
    xs report kill >other.out 2>other.err && fail "a folder with a trace that cannot be read" other.out
    says other.err "kill/theirs.db: " "ermission denied"
    says other.out counted_copies
    rm kill/open.db
    # Root reads it, with all that its spool has, and leaves trace and spool to its owner.
    "$xferspy" report kill/theirs.db >root.out 2>root.err || fail "root's report" root.out root.err
    n=$("$xferspy" query --format=tsv kill/theirs.db "SELECT count(*) FROM transfer" 2>/dev/null | tail -n 1)
    [ "$n" -ge "$(returned_of kill/count)" ] || fail "root sees $n copies of $(returned_of kill/count)" root.err
    diff -r before kill >difference || fail "root's report changes something" difference
    [ -z "$own_memory" ] || ls /dev/shm/xferspy-$user/*.spool >/dev/null || fail "root's report takes the spool"
    reader=$user
    has_all kill/theirs.db kill/count
    status_is kill/theirs.db recovered
    [ "$(stat -c %u kill/theirs.db)" = $user ] || fail "whose trace is it?"
fi

# ---- a sticky folder, and somebody who plants files in it ----------------------------------------------------------

# plant KIND FILE: as the other user; what is planted may be written by all, to be as inviting as possible
plant() {
    case $1 in
    link) as $other ln -s "$work/own/precious" "$2" ;;
    dangling) as $other ln -s "$work/own/nothing" "$2" ;;
    fifo) as $other mkfifo -m 666 "$2" ;;
    empty) as $other sh -c 'umask 0; : >"$1"' plant "$2" ;;
    garbage) as $other sh -c 'umask 0; head -c 50000 /dev/urandom >"$1"' plant "$2" ;;
    folder) as $other mkdir -m 777 "$2" ;;
    journal) # which SQLite would play back, and which names a file of the victim's
        as $other "$python" -c 'import os, struct, sys
magic, name = bytes.fromhex("d9d505f920a163d7"), sys.argv[2].encode()
head = (magic + struct.pack(">IIIII", 0, 0, 0, 512, 4096)).ljust(512, b"\0")
tail = struct.pack(">I", 0x40000000 // 4096 + 1) + name + struct.pack(">II", len(name), sum(name)) + magic
os.umask(0)
open(sys.argv[1], "wb").write(head + tail)' "$2" "$work/own/precious"
        ;;
    esac
}
precious() { # it is what it was, and nothing was made where the dangling link leads
    [ "$(stat -c '%Y %Z %i %s %a %u' own/precious) $(cat own/precious)" = "$was" ] || fail "$1: the file changed"
    [ ! -e own/nothing ] || fail "$1: a link was followed"
}
if [ "$(id -u)" = 0 ]; then
    need_python
    echo "not to be touched" >own/precious
    chown $user:$user own/precious
    chmod 600 own/precious
    was="$(stat -c '%Y %Z %i %s %a %u' own/precious) $(cat own/precious)"
    traced own whole.db 100
    for suffix in '' -journal -wal -shm .spool; do
        for kind in link dangling fifo empty garbage folder journal; do
            what="$kind at trace.db$suffix"
            rm -rf shared
            mkdir shared
            chmod 1777 shared
            # Before the program starts. Where the trace goes then, the closing line says.
            plant $kind "shared/trace.db$suffix"
            traced shared trace.db 100
            precious "$what"
            # Nothing is recorded where the name itself is a device's, a FIFO's or a folder's.
            if [ -z "$suffix" ] && { [ $kind = fifo ] || [ $kind = folder ]; }; then
                grep -q "not capturing: .*trace.db is no regular file" traced.stderr || fail "$what" traced.stderr
                continue
            fi
            trace=$(sed -n 's/^xferspy: [0-9]* events in \(.*\); `.*/\1/p' traced.stderr)
            [ -f "$trace" ] || fail "$what: no trace" traced.stderr
            hundred "$trace"
            status_is "$trace" complete
            # After it ended.
            if [ -n "$suffix" ]; then
                rm -rf shared
                mkdir shared
                chmod 1777 shared
                cp -p own/whole.db shared/trace.db
                plant $kind "shared/trace.db$suffix"
                xs report shared/trace.db >report.out 2>report.err || fail "$what: report" report.out report.err
                precious "$what"
                hundred shared/trace.db
                status_is shared/trace.db complete
                precious "$what"
            fi
        done
    done
    # Before one that was killed is completed: the only names that are free then.
    for kind in link fifo garbage journal; do
        rm -rf shared
        mkdir shared
        chmod 1777 shared
        killed shared trace.db
        plant $kind shared/trace.db-journal
        xs report shared/trace.db >report.out 2>report.err || fail "killed, $kind: report" report.out report.err
        has_all shared/trace.db shared/count
        precious "killed, $kind at trace.db-journal"
    done
    # Where the spool's folder is somebody else's, the spool lies beside the trace.
    if [ -n "$own_memory" ]; then
        for kind in folder link; do
            rm -rf /dev/shm/xferspy-$user
            plant $kind /dev/shm/xferspy-$user
            folder beside.$kind 700
            killed beside.$kind trace.db
            [ "$(stat -c %s beside.$kind/trace.db.spool)" -gt 65536 ] || fail "no spool beside the trace"
            has_all beside.$kind/trace.db beside.$kind/count
            precious "$kind at /dev/shm/xferspy-$user"
            rm -rf /dev/shm/xferspy-$user
        done
    fi
fi
[ -n "$own_memory" ] || rmdir /dev/shm/xferspy-$user 2>/dev/null
echo "PASS $name"
