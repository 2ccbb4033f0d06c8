# run -o: a name that is taken, a folder that is missing, and the traces that are found afterwards. All before the
# program starts, because a long run without a trace is lost.
. "$SOURCE/lib.sh"
export XFERSPY_LIBRARY="$DUMMY"
mkdir driver; cp "$FAKE_DRIVER" driver/libcuda.so.1; export LD_LIBRARY_PATH=$PWD/driver
# It begins after each run below, however slow the machine is: a trace from before a run is none of that run.
echo "INSERT OR REPLACE INTO meta VALUES ('start_unix_ns', ($(date +%s) + 3600) * 1000000000)" >now.sql
make_trace new.db "$SOURCE/fixtures/simple.sql" now.sql
cp new.db before.db # longer before the job below than the kernel rounds starts of processes: 10 ms
refused() { # refused TEXT: with one line, and the program did not start
    expect_error_of "$1"
    [ ! -e ran ] || show "the program was started"
}

# A trace that exists is never judged in place of the new one.
echo old >"my run.db"
run "$XFERSPY" run -o "my run.db" -- touch ran
refused "my run.db: exists already; --force replaces it, and -o 'my run.%n.db' takes the next free number"
[ "$(cat "my run.db")" = old ] || show "the old one was touched"
XFERSPY_OUTPUT=$PWD/"my run.db" run "$XFERSPY" run -- touch ran; refused "my run.db: exists already"
run "$XFERSPY" run -o 'my %q{WHAT}.db' -- touch ran; expect_status 0; rm ran # there is no such variable
WHAT=run run "$XFERSPY" run -o 'my %q{WHAT}.db' -- touch ran; refused "my run.db: exists already"
echo old >rank-0.db
run "$XFERSPY" run -o rank-%r.db -- touch ran; refused "rank-0.db: exists already"
run "$XFERSPY" run --force -o rank-%r.db -- touch ran; refused "with %r there are several; delete them yourself"
RANK=1 run "$XFERSPY" run -o rank-%r.db -- sh -c 'touch ran; cp new.db rank-1.db'
expect_status 0; expect_no_err; rm ran
echo old >"$(uname -n).db"; run "$XFERSPY" run -o %h.db -- touch ran; refused "$(uname -n).db: exists already"
echo old >touch.db # the program's name
run "$XFERSPY" run -o "%e.db" -- "$(command -v touch)" ran
[ "$(basename "$(realpath "$(command -v touch)")")" != touch ] || refused "touch.db: exists already"
rm -f ran
for name in run.%p.db run.%n.db; do run "$XFERSPY" run -o $name -- touch ran; expect_status 0; rm ran; done
run "$XFERSPY" run -- touch ran; expect_status 0; rm ran

# What an earlier trace left beside a name takes it, too.
for side in -wal -journal -shm .spool; do
    echo old >side.db$side
    run "$XFERSPY" run -o side.db -- touch ran; refused "side.db$side: exists already"
    run "$XFERSPY" run --force -o side.db -- touch ran; expect_status 0; rm ran
    [ ! -e side.db$side ] || show "side.db$side is still there"
done

# --force: the old trace is gone when the program starts, a link is replaced and not followed, and a program that
# cannot be started costs no trace.
run "$XFERSPY" run --force -o "my run.db" -- sh -c '[ ! -e "my run.db" ] && cp new.db "my run.db"'
expect_status 0; expect_no_err; cmp -s new.db "my run.db" || show "not replaced"
run "$XFERSPY" run --force -o "my run.db" -- ./missing; expect_status 127
run "$XFERSPY" run --force -o "my run.db" -- ./new.db; expect_status 126
cmp -s new.db "my run.db" || show "deleted for nothing"
echo precious >target; ln -s target link.db
run "$XFERSPY" run -o link.db -- touch ran; refused "link.db: exists already"
run "$XFERSPY" run --force -o link.db -- sh -c '[ ! -L link.db ] && cp new.db link.db'; expect_status 0
[ "$(cat target)" = precious ] || show "written through the link"
ln -s nowhere dangling.db; run "$XFERSPY" run -o dangling.db -- touch ran; refused "dangling.db: exists already"
cp new.db job.db; cp new.db job.2.db; cp new.db job.3.db
run "$XFERSPY" run --force -o job.db -- cp new.db job.db; expect_status 0
expect_err "job.db is replaced; $PWD/job.2.db and 1 more are of earlier runs and stay"
mkfifo pipe.db
for name in /dev/null pipe.db; do
    run "$XFERSPY" run -o $name -- touch ran; refused "$name: is no regular file"
    run "$XFERSPY" run --force -o $name -- touch ran; refused "$name: is no regular file"
    [ -e $name ] || show "deleted"
done
for name in driver driver/ "$PWD/new/"; do
    run "$XFERSPY" run -o "$name" -- touch ran; refused "$name: is a folder; name a file in it"
    run "$XFERSPY" run --force -o "$name" -- touch ran; refused "$name: is a folder"
done
long=$(printf '%0250d' 0) # the name of a file has 255 bytes at most, and -journal has to fit behind it
run "$XFERSPY" run -o "$long" -- touch ran; refused "$long: a file cannot have such a long name"
run "$XFERSPY" run -o "${long#000}" -- touch ran; expect_status 0; rm ran
run "$XFERSPY" run -o '%x.db' -- touch ran; expect_status 2; expect_err "--output=%x.db: is no usable name"
run "$XFERSPY" run --enable=off -o new.db -- touch ran; expect_status 0; rm ran # no trace is made

# The folder is made, for its owner alone, or the run is refused.
(umask 022; run "$XFERSPY" run -o a/b/c/run.db -- cp new.db a/b/c/run.db; expect_status 0; expect_no_err) || exit 1
for folder in a a/b a/b/c; do [ "$(stat -c %a $folder)" = 700 ] || show "mode of $folder"; done
run "$XFERSPY" run -o "$PWD/d%%d/%h/%p.db" -- sh -c '[ -d d%d ] && [ ! -d "d%d/$(uname -n)" ]'; expect_status 0
run "$XFERSPY" run -o target/run.db -- touch ran; refused "target: is no folder; give another place with --output"
run "$XFERSPY" run -o target/sub/run.db -- touch ran
refused "the folder target/sub cannot be made: Not a directory; give another place with --output"
if [ "$(id -u)" != 0 ]; then
    mkdir closed; chmod 500 closed
    run "$XFERSPY" run -o closed/run.db -- touch ran; refused "closed: Permission denied; give another place"
    run "$XFERSPY" run -o closed/sub/run.db -- touch ran; refused "the folder closed/sub cannot be made"
fi

# An xferspy run inside of another one has its template from that, and its siblings' traces are no reason to stop.
cp new.db inner.db
LD_PRELOAD=/no/libxferspy.so XFERSPY_OUTPUT=$PWD/inner.db run "$XFERSPY" run --quiet -- touch ran
expect_status 0; [ -e ran ] || show "refused"; rm ran
LD_PRELOAD=/no/libxferspy.so run "$XFERSPY" run -o inner.db -- touch ran; expect_status 1; expect_err "exists already"

# A rank of a job does not stop, nor replace, because another one was faster; what was there before the job is refused.
cat >launcher.sh <<'E2'
cp new.db sibling.db
RANK=1 WORLD_SIZE=2 sh -c "$*; exit \$?"
E2
for force in "" --force; do
    rm -f sibling*.db
    run sh launcher.sh "$XFERSPY run $force -o sibling.db -- cp new.db sibling.2.db"; expect_status 0; expect_no_err
    cmp -s new.db sibling.db || show "another rank's trace is gone"
done
run sh launcher.sh "$XFERSPY run -o before.db -- touch ran"; refused "before.db: exists already"
run env RANK=0 WORLD_SIZE=1 "$XFERSPY" run -o before.db -- touch ran; refused "before.db: exists already"

# Two runs that begin together: the trace is there only after the first CUDA call, but the name is the first run's.
mkfifo started go
"$XFERSPY" run -o both.db -- sh -c 'echo >started; read x <go; cp new.db both.db' >both.out 2>both.err &
first=$!
read -r unused <started
run "$XFERSPY" run -o both.db -- touch ran
refused "both.db: another xferspy run writes this trace now, and -o both.%n.db takes the next free number"
run "$XFERSPY" run --force -o ./both.db -- touch ran; refused "another xferspy run writes this trace now"
run "$XFERSPY" run -o both.%n.db -- cp new.db both.1.db; expect_status 0
RANK=1 WORLD_SIZE=2 run "$XFERSPY" run -o both.db -- cp new.db both.2.db; expect_status 0
echo >go; wait "$first" || show "the first run failed"
run "$XFERSPY" run -o both.db -- touch ran; refused "both.db: exists already"
rm both*.db; run "$XFERSPY" run -o both.db -- cp new.db both.db; expect_status 0 # it is free again

# What the run left is found under every name that it can have, also right after a run that left the first one.
rm -f run.db
run "$XFERSPY" run --report -o run.db -- sh -c 'cp new.db run.db; cp new.db run.2.db; cp new.db run.10.db'
expect_status 0; expect_err "run.db"; expect_err "run.2.db"; expect_err "run.10.db"; expect_not "no trace"
for i in 1 2 3; do
    LD_PRELOAD=/no/libxferspy.so XFERSPY_OUTPUT=$PWD/run.db run "$XFERSPY" run --report -- cp new.db "run.2$i.db"
    expect_status 0; expect_err "run.2$i.db"; expect_not "no trace"; expect_not "run.10.db"
    LD_PRELOAD=/no/libxferspy.so XFERSPY_OUTPUT=$PWD/run.db run "$XFERSPY" run -- cp new.db "run.3$i.db"
    expect_status 0; expect_not "no trace"
    LD_PRELOAD=/no/libxferspy.so XFERSPY_OUTPUT=$PWD/run.db run "$XFERSPY" run -- true
    expect_status 0; expect_err "no trace: true and what it started made no CUDA call"
done
for i in 1 2; do
    run "$XFERSPY" run --report -o n-%n.db -- cp new.db n-$i.db; expect_err "n-$i.db"; expect_not "no trace"
done
echo "trace x" >run.notes; run "$XFERSPY" run --report -o run-%p -- sh -c 'touch run-1-wal; cp new.db run-1'
expect_err "run-1"; expect_not "run-1-wal"

# A program may leave the folder before its first CUDA call. The traces are in the folder of the run nevertheless, and
# named; a run within the run, with or without the library, has the same folder.
mkdir elsewhere "100% there"
for inner in "" "$XFERSPY run --" "env -u LD_PRELOAD $XFERSPY run --"; do
    run sh -c 'cd "100% there" && exec "$@"' - "$XFERSPY" run --report -- $inner \
        sh -c 'cd ../elsewhere && cp ../new.db "$(printf %s "$XFERSPY_OUTPUT" | sed s/%%/%/)xferspy-app.$$.db"'
    expect_status 0; expect_err "$PWD/100% there/xferspy-app."; expect_not "no trace"
    rm "100% there"/xferspy-app.*.db
done
if [ "$(id -u)" != 0 ]; then # it may go to a folder that is writable
    run sh -c 'cd closed && exec "$@"' - "$XFERSPY" run -- sh -c '[ -z "$XFERSPY_OUTPUT" ]'; expect_status 0
fi

# A signal: what was recorded is named, where the process could not say so itself.
rm -f "s r.db"
run "$XFERSPY" run -o "s r.db" -- sh -c 'cp new.db "s r.db"; echo left >"s r.db-wal"; kill -INT $$'; expect_status 130
expect_err "SIGINT ended the program; $PWD/s r.db has what was recorded until then: \`xferspy report '$PWD/s r.db'' shows it"
rm -f s.db; run "$XFERSPY" run -o s.db -- sh -c 'cp new.db s.db; kill -INT $$'; expect_status 130; expect_no_err
run "$XFERSPY" run -o s2.db -- sh -c 'cp new.db s2.db; echo left >s2.db-wal; exit 137'; expect_status 137
expect_err "a process was killed; $PWD/s2.db has"
run "$XFERSPY" run --quiet -o s3.db -- sh -c 'cp new.db s3.db; echo left >s3.db-wal; kill -INT $$'; expect_status 130
expect_no_err

# ---- the device failed while CUPTI was attached ---------------------------------------------------------------------

failed() {
    echo "INSERT INTO meta VALUES ('failure.result', 719), ('failure.entry_point', 'cuStreamSynchronize')," \
        "('failure.at_ns', 5000), ('failure.cupti', '$1')" >failure.sql
    make_trace failed.db "$SOURCE/fixtures/simple.sql" now.sql failure.sql
    rm -f f.db
    run "$XFERSPY" run ${2-} -o f.db -- sh -c 'cp failed.db f.db; exit '"${3-3}"
}
failed attached; expect_status 3
expect_err "failed on the GPU while CUPTI was attached"
expect_err "\`XFERSPY_CUPTI=off xferspy run -- sh -c 'cp failed.db f.db; exit 3''"
failed attached --report; expect_status 3; expect_err "CUDA calls fail"
expect_err "\`XFERSPY_CUPTI=off xferspy run -- sh -c"
failed attached '' 0; expect_status 0; expect_no_err # it went on all the same
failed attached --quiet; expect_status 3; expect_no_err
failed detached; expect_status 3; expect_no_err
failed off; expect_status 3; expect_no_err
# A program that aborts right after the failure left it in its spool. run does not take the spool over to read it.
left() {
    run "$XFERSPY" run --force -o left.db -- sh -c '"$SPOOLED" left.db 0 '"${1-}"' <go.txt; kill -ABRT $$'
    expect_status 134; expect_err "SIGABRT ended the program; $PWD/left.db has what was recorded until then"
    [ -e left.db.spool ] || show "taken over"
}
echo go >go.txt
left failed; expect_err "\`XFERSPY_CUPTI=off xferspy run -- sh -c"
run "$XFERSPY" report left.db; expect_status 0
expect_out "CUPTI was attached then: if the program runs well without xferspy, record it with XFERSPY_CUPTI=off"
left; expect_not "XFERSPY_CUPTI=off"
