# Two commands in turns. How long they take is the machine's; what is compared here is what they print: outputs, exit
# statuses, and times of a loop, which are the same on every machine.
. "$SOURCE/lib.sh"
need_python jsonschema.Draft202012Validator
json() { "$python" -c "import json; d = json.load(open('stdout')); assert $1, $1" || show "not in the JSON: $1"; }
valid() {
    "$python" -W ignore "$SOURCE/report/json_schema.py" --strict "$SOURCE/../../docs/schema/bench.schema.json" stdout \
        >invalid 2>&1 && [ ! -s invalid ] || { cat invalid >stderr; show "not valid"; }
}
slow='echo result 1; echo loop 200.0 ms >&2' fast='echo result 1; echo loop 150.0 ms >&2'
loop='^loop ([0-9.]+)'

# A loop that takes a quarter less: beyond doubt with four runs of each, and what was demanded.
run "$XFERSPY" bench -n 4 --loop-time="$loop" --at-least=25% -- sh -c "$slow" -- sh -c "$fast"
expect_status 0; expect_no_err
[ "$(head -n 1 stdout)" = "AFTER is faster: 200 ms -> 150 ms (-25 %) of the loop's time." ] || show "conclusion"
expect_out "4 of each, in turns, after 1 to warm up; not profiled"; expect_out "the same, 1 line"
expect_out "--at-least=25%: passed"; expect_out "-50.0 ms (-50.0 ms to -50.0 ms)"
run "$XFERSPY" bench -n 4 --loop-time="$loop" --at-least=50ms -- sh -c "$slow" -- sh -c "$fast"; expect_status 0
for gain in 26% 51ms; do
    run "$XFERSPY" bench -n 4 --loop-time="$loop" --at-least=$gain -- sh -c "$slow" -- sh -c "$fast"
    expect_status 3; expect_out "the gain is smaller"
done
run "$XFERSPY" bench -n 4 --loop-time="$loop" -- sh -c "$fast" -- sh -c "$slow"
expect_status 0; expect_out "AFTER is slower: 150 ms -> 200 ms (+33 %)"
run "$XFERSPY" bench -n 4 --loop-time="$loop" --fail-on=slower,output -- sh -c "$fast" -- sh -c "$slow"
expect_status 3; expect_out "AFTER is slower"
run "$XFERSPY" bench -n 4 --loop-time="$loop" --at-least=0 -- sh -c "$fast" -- sh -c "$slow"; expect_status 3
run "$XFERSPY" bench -n 4 --loop-time="$loop" --at-least=0 -- sh -c "$slow" -- sh -c "$slow"
expect_status 0; expect_out "No difference beyond the runs' own: 200 ms -> 200 ms"
run "$XFERSPY" bench -n 4 --loop-time="$loop" --fail-on=unclear -- sh -c "$slow" -- sh -c "$slow"; expect_status 3
# Of so few runs nothing can be told.
run "$XFERSPY" bench -n 2 --loop-time="$loop" --at-least=10% -- sh -c "$slow" -- sh -c "$fast"
expect_status 3; expect_out "Too few runs to tell which is faster: 200 ms ->"
expect_out "2 runs a side are too few to know the noise"
run "$XFERSPY" bench -n 3 --loop-time="$loop" -- sh -c "$slow" -- sh -c "$fast"
expect_status 0; expect_out "AFTER is faster"; expect_not "too few"

# Units: behind the number, or said. A time of another unit than the option's word is that of the output's.
run "$XFERSPY" bench -n 4 --json --loop-time='took ([0-9.]+)' -- sh -c 'echo took 2 s' -- sh -c 'echo took 1500ms'
expect_status 0; valid; json "d['loop']['before']['median_ns'] == 2 * 10**9 and d['loop']['after']['median_ns'] == 15 * 10**8"
json "d['time'] == 'loop' and d['result'] == 'faster' and d['loop']['delta_ns'] == -5 * 10**8"
json "d['output']['lines'] == 0 and d['rounds'] == 4 and len(d['before']['runs']) == 4 and d['gate']['holds']"
json "d['before']['command'] == ['sh', '-c', 'echo took 2 s'] and d['before']['runs'][0]['exit_status'] == 0"
json "abs(d['loop']['p'] - 1 / 70) < 1e-9 and d['loop']['interval_90']"
run "$XFERSPY" bench -n 4 --json --loop-time='took ([0-9.]+)' --loop-unit=us -- echo took 2 -- echo took 2
valid; json "d['loop']['before']['median_ns'] == 2000"
run "$XFERSPY" bench -n 4 --loop-time='took ([0-9.]+)' -- echo took 2 -- echo took 2
expect_status 0; expect_out "4 of 4 runs of BEFORE print no time that --loop-time finds with a unit"
run "$XFERSPY" bench -n 4 --format=markdown --loop-time="$loop" -- sh -c "$slow" -- sh -c "$fast"
expect_status 0; expect_out "**AFTER is faster: 200 ms"; expect_out "| loop | 200 ms (200 ms to 200 ms) |"
expect_out "A minus means that AFTER takes less time."

# Outputs: another line, another number of lines, another exit status, and what may differ.
run "$XFERSPY" bench -n 3 -- echo one -- echo two
expect_status 3; expect_out "differs from line 1 on; before: one; after: two"
run "$XFERSPY" bench -n 3 --fail-on=none -- echo one -- echo two; expect_status 0; expect_out "differs from line 1"
run "$XFERSPY" bench -n 3 --ignore='^(one|two)$' --ignore=three -- echo one -- echo two; expect_status 0
expect_out "the same, 0 lines; 1 more ignored"
run "$XFERSPY" bench -n 1 --warm-up=0 -- echo one -- echo two; expect_status 3
expect_out "! BEFORE ran once, so which of"
run "$XFERSPY" bench -n 1 --warm-up=1 -- echo one -- echo two; expect_status 3; expect_not "ran once"
run "$XFERSPY" bench -n 3 --ignore=one --json -- printf 'one\none\n2\n' -- printf 'one\n2\n'; expect_status 0; valid
json "d['output']['lines'] == 1 and d['output']['ignored_lines'] == 2"
run "$XFERSPY" bench -n 3 -- printf 'a\nb\n' -- printf 'a\n'; expect_status 3; expect_out "differs from line 2"
run "$XFERSPY" bench -n 3 -- printf 'a\n' -- printf 'a'; expect_status 3
run "$XFERSPY" bench -n 3 -- printf 'a\0b\n' -- printf 'a\0c\n'; expect_status 3
# What fails is not measured: it is said first, and there is no verdict, whatever was demanded.
run "$XFERSPY" bench -n 3 -- sh -c 'exit 4' -- true; expect_status 1; expect_no_err
[ "$(head -n 1 stdout)" = "Nothing was measured: 3 of 3 runs of BEFORE ended with exit status 4." ] || show "first"
expect_not "the same"; expect_not "median"; expect_not "--status"
for options in "" --fail-on=none "--at-least=0 --format=markdown"; do
    run "$XFERSPY" bench -n 3 $options -- sh -c 'exit 4' -- sh -c 'exit 4'; expect_status 1
    head -n 1 stdout | grep -qF "Nothing was measured: 3 of 3 runs of BEFORE ended with exit status 4, 3 of 3 runs of AFTER \
ended with exit status 4." || show "first"
    expect_not "faster"; expect_not "ms"; expect_out "say it with --status=4"
done
run "$XFERSPY" bench -n 3 --loop-time="$loop" --json -- sh -c "$slow; kill -9 \$\$" -- sh -c "$fast"
expect_status 1; valid
json "d['before']['runs'][0] | {'wall_ns': 0} == {'wall_ns': 0, 'loop_ns': 2 * 10**8, 'exit_status': None, 'signal': 9}"
json "d['result'] == 'cannot-tell' and d['wall'] is None and d['loop'] is None and d['expected_status'] == 0"
json "d['gate'] == {'holds': False, 'at_least': None, 'failed': ['status']} and 'signal 9' in d['text']"
# Some of the runs, in more than one way; and a run to warm up alone.
run "$XFERSPY" bench -n 3 --warm-up=0 -- sh -c 'echo >>tries; exit $(($(wc -l <tries) - 1))' -- true; expect_status 1
expect_out "2 of 3 runs of BEFORE ended with exit status 1 and others"
run "$XFERSPY" bench -n 3 --fail-on=none -- sh -c '[ -e warm ] || { touch warm; exit 2; }' -- true; expect_status 0
expect_out "BEFORE ended with exit status 2 and others"; expect_not "Nothing was measured"
# Who measures what ends so on purpose says it.
run "$XFERSPY" bench -n 4 --status=4 --loop-time="$loop" -- sh -c "$slow; exit 4" -- sh -c "$fast; exit 4"
expect_status 0; expect_out "AFTER is faster: 200 ms -> 150 ms"; expect_not "exit status"
run "$XFERSPY" bench -n 3 --status=4 -- sh -c 'exit 4' -- true
expect_status 1; expect_out "Nothing was measured: 3 of 3 runs of AFTER ended with exit status 0."
# What differs between runs of the first command is not compared; what differs between runs of the second alone is.
run "$XFERSPY" bench -n 3 -- sh -c 'echo same; echo $$' -- sh -c 'echo same; echo $$'
expect_status 0; expect_out "the same, 2 lines; 1 of them differs between runs of BEFORE and is not compared"
run "$XFERSPY" bench -n 3 -- sh -c 'echo same; echo 1' -- sh -c 'echo same; echo $$'
expect_status 3; expect_out "differs from line 2 on; before: 1; after: "
run "$XFERSPY" bench -n 3 -- sh -c 'echo >>before; cat before' -- true
expect_status 3; expect_out "not compared: runs of BEFORE print different numbers of lines"

# Turns: so many runs of each, neither always first, and the runs to warm up.
: >turns
run "$XFERSPY" bench -n 4 --warm-up=2 -- sh -c 'printf B >>turns' -- sh -c 'printf A >>turns'
[ "$(cat turns)" = BAABABBABAAB ] || show "turns: $(cat turns)"
# The environment has nothing of capture in it, and the rest of it; standard input is empty.
XFERSPY_CUPTI=off XFERSPY_LIBRARY=/no/lib MINE=kept LD_PRELOAD=/nowhere/libxferspy.so \
    run "$XFERSPY" bench -n 1 --warm-up=0 -- sh -c 'env >env; cat >input' -- true
! grep 'XFERSPY_\|LD_PRELOAD' env || show "of capture"
grep -q '^MINE=kept$' env || show "MINE"
[ ! -s input ] || show "input"

# What a run leaves running in its process group has ended before the next run begins: asked to, and made to if it does
# not listen. The run says which it was and leaves, so it is the process and not the run that has to be ended.
cat >leaves <<'END'
while read -r left; do ! kill -0 "$left" 2>/dev/null || echo "$left" >>overlap; done <left
sleep 1000 & echo $! >>left
sh -c 'trap "" TERM; : >deaf; exec sleep 1000' & echo $! >>left
while [ ! -e deaf ]; do :; done
rm deaf
sh -c 'trap "echo >>asked; exit" TERM; : >ready; while :; do sleep 0.01; done' & echo $! >>left
while [ ! -e ready ]; do :; done
rm ready
END
: >left
run "$XFERSPY" bench -n 1 --warm-up=0 -- sh leaves -- sh leaves; expect_status 0
[ ! -e overlap ] || show "left running beside the next run: $(cat overlap)"
[ "$(wc -l <left)" -eq 6 ] && [ "$(wc -l <asked)" -eq 2 ] || show "who was asked to end"
while read -r left; do ! kill -0 "$left" 2>/dev/null || show "left behind: $left"; done <left
# A program that makes itself a session is one that means to stay.
run "$XFERSPY" bench -n 1 --warm-up=0 -- sh -c 'setsid sh -c "echo \$\$ >daemon.new; mv daemon.new daemon
    exec sleep 1000" &
while [ ! -e daemon ]; do :; done' -- true
expect_status 0
kill "$(cat daemon)" || show "the daemon was ended"

# Mistakes.
run "$XFERSPY" bench -- ./nowhere -- true; expect_status 1; expect_no_out; expect_err "./nowhere: No such file"
run "$XFERSPY" bench -- true -- no-such-command; expect_status 1; expect_err "no-such-command: command not found"
run "$XFERSPY" bench -- true; expect_status 2; expect_err "Two of them"
run "$XFERSPY" bench -- true --; expect_status 2
for wrong in -n0 -n33 -nx --warm-up=-1 --loop-time=x '--loop-time=(a)(b)' --loop-time= '--ignore=(' --ignore= \
    --at-least=x --at-least=5 \
    --fail-on=gain --fail-on=x --status=-1 --status=256 --status=x --time-limit=0 --format=tsv --loop-unit=h; do
    run "$XFERSPY" bench "$wrong" -- true -- true; expect_status 2; expect_no_out
done
echo kept >kept
run "$XFERSPY" bench -n 1 -o kept -- touch ran -- true
expect_status 1; expect_err "exists already"; [ ! -e ran ] || show "ran all the same"
# A result that goes to a file is said on standard error, too: its first line.
run "$XFERSPY" bench -n 2 -o written -- true -- true; expect_status 0; expect_no_out
head -n 1 written | cmp - stderr || show "the conclusion"
run "$XFERSPY" bench -n 2 --json -o written.json -- true -- true; expect_status 0; expect_no_out
[ -s stderr ] || show "no conclusion"

# A run that does not end is ended by the time limit; and by a signal, with what is known up to then.
run "$XFERSPY" bench --time-limit=0.5 -- sleep 1000 -- true
expect_status 1; expect_out "The time limit allowed 0 of 9 rounds"
mkfifo never
cat >third <<'END'
echo run >>runs
[ "$(wc -l <runs)" -lt 4 ] || { echo $$ >waits.new; mv waits.new waits; exec cat never; }
END
"$XFERSPY" bench --loop-time="$loop" -- sh third -- sh -c "$fast" >stdout 2>stderr </dev/null &
bench=$!
until [ -e waits ] || ! kill -0 $bench; do sleep 0.1; done
kill -TERM $bench
step="bench that is interrupted"
wait $bench; status=$?
expect_status 1; expect_out "It was interrupted after 2 of 9 rounds"
! kill -0 "$(cat waits)" 2>/dev/null || show "the program was left behind"
