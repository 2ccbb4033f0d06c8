# run: preloads, hands options over, and is then the program: arguments, output, exit status, signals.
. "$SOURCE/lib.sh"
export XFERSPY_LIBRARY="$DUMMY" XFERSPY_QUIET=1 # else each of these programs would be told why it left no trace
run "$XFERSPY" run -- "$PROGRAM" print a "b c" --help
expect_status 0; expect_no_err
expect_out "[print][a][b c][--help] LD_PRELOAD=$(realpath "$DUMMY")"
# (verify_asan_link_order: for a sanitizer build of xferspy itself)
ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=libm.so.6 run "$XFERSPY" run "$PROGRAM" print
expect_out "LD_PRELOAD=$(realpath "$DUMMY"):libm.so.6"
run "$XFERSPY" run -- "$PROGRAM" exit 42; expect_status 42; expect_no_out; expect_no_err
run "$XFERSPY" run -- "$PROGRAM" exit 0; expect_status 0
run "$XFERSPY" run -- "$PROGRAM" signal 15; expect_status 143
run "$XFERSPY" run -- "$PROGRAM" signal 9; expect_status 137
# A parent may ignore SIGCHLD, and the kernel then forgets how a child ended. The program ignores it as without xferspy.
run env --ignore-signal=CHLD "$XFERSPY" run -- "$PROGRAM" exit 42; expect_status 42
run env --ignore-signal=CHLD "$XFERSPY" run -- grep SigIgn /proc/self/status; expect_status 0
ignored=$(cat stdout); run env --ignore-signal=CHLD grep SigIgn /proc/self/status; expect_out "$ignored"
# Options become variables; the option goes before the variable.
DUMMY_SAYS=1 run "$XFERSPY" run --output='t-%p.db' --cupti=off -- "$PROGRAM" exit 0
expect_status 0; expect_err "output=$PWD/t-%p.db cupti=off" # here, also where the program changes its folder
DUMMY_SAYS=1 run "$XFERSPY" run -o short.db -- "$PROGRAM" exit 0
expect_status 0; expect_err "output=$PWD/short.db "
XFERSPY_CUPTI=auto DUMMY_SAYS=1 run "$XFERSPY" run --cupti=off "$PROGRAM" exit 0; expect_err "cupti=off"
run "$XFERSPY" run --cupti=maybe -- "$PROGRAM" exit 0; expect_status 2; expect_no_out; expect_err "auto|on|off"
run "$XFERSPY" run --spool-mib=1 -- "$PROGRAM" exit 0; expect_status 2
expect_err "--spool-mib=1 is not between 2 and 4096"
run "$XFERSPY" run --spool-mib=many -- "$PROGRAM" exit 0; expect_status 2; expect_err "is not between 2 and 4096"
run "$XFERSPY" run --cupti='auto|on|off' -- "$PROGRAM" exit 0; expect_status 2; expect_no_out
run "$XFERSPY" run --cupti-library= -- "$PROGRAM" exit 0; expect_status 2; expect_err "--cupti-library=: use FILE"
# A switch may stand alone.
run "$XFERSPY" run --quiet -- sh -c 'echo "quiet=$XFERSPY_QUIET"'; expect_status 0; expect_out "quiet=on"
run "$XFERSPY" run --quiet=no sh -c 'echo "quiet=$XFERSPY_QUIET"'; expect_status 0; expect_out "quiet=no"
run "$XFERSPY" run --quiet=maybe -- "$PROGRAM" exit 0; expect_status 2; expect_err "--quiet=maybe: use on|off"
# Repairs are checked here already: a program that is to run repaired would run as it is.
for list in drop-uploads stage,gather all ,prefetch,; do
    run "$XFERSPY" run --repair="$list" -- sh -c 'echo "repair=$XFERSPY_REPAIR"'; expect_status 0
    expect_out "repair=$list"
done
names="drop-uploads, stay-on-device, drop-downloads, gather, stage, keep-allocations, keep-pinned, prefetch or all"
for list in drop-upload gather,drop-upload none Gather 'gather stage'; do
    run "$XFERSPY" run --repair="$list" -- "$PROGRAM" exit 0; expect_status 2; expect_no_out
    expect_err "--repair=$list: there is no repair \`${list#*,}'; use $names"
done
for list in '' ,; do
    run "$XFERSPY" run --repair="$list" -- "$PROGRAM" exit 0; expect_status 2; expect_no_out
    expect_err "--repair=$list: use $names"
done

# A window is checked here already.
for window in 10s..20s 1s..2s,5s.. ..500ms 20ms/1s 'nvtx:train step, 1/2' profiler; do
    run "$XFERSPY" run --window="$window" -- sh -c 'echo "window=$XFERSPY_WINDOW"'; expect_status 0
    expect_out "window=$window"
done
for window in '' 10 1s..2s, 1s/1s nvtx: nvtx profilers; do
    run "$XFERSPY" run --window="$window" -- "$PROGRAM" exit 0; expect_status 2; expect_no_out
    expect_err "--window=$window: use 10s..20s (or several: 1s..2s,8s..9s), 20ms/1s, nvtx:NAME or profiler"
done
for window in 60ms..10ms 1s..2s,5s..5s; do
    run "$XFERSPY" run --window="$window" -- "$PROGRAM" exit 0; expect_status 2; expect_no_out
    expect_err "--window=$window: the end of a part has to come after its beginning"; expect_not "nvtx:NAME"
done
# Labels add up, and are checked here already.
XFERSPY_LABELS=site=b run "$XFERSPY" run --label team=vision --label=night=3 -- sh -c 'echo "$XFERSPY_LABELS"'
expect_status 0; expect_out "site=b,team=vision,night=3"
XFERSPY_LABELS=site=b run "$XFERSPY" run --labels=a=1,b=2 --label c=3 -- sh -c 'echo "$XFERSPY_LABELS"'
expect_status 0; expect_out "a=1,b=2,c=3"; expect_not "site"
for label in team a=1,b=2 '' 1a=x a=; do
    run "$XFERSPY" run --label="$label" -- "$PROGRAM" exit 0; expect_status 2; expect_no_out
    expect_err "--label=$label: "
done
run "$XFERSPY" run --labels=a=1,b -- "$PROGRAM" exit 0; expect_status 2; expect_no_out
expect_err "--labels=a=1,b: a label is KEY=VALUE, with a comma before the next one"
run "$XFERSPY" run --labels= -- "$PROGRAM" exit 0; expect_status 2; expect_err "--labels=: use KEY=VALUE,..."
long=$(printf '%0250d' 0)
run "$XFERSPY" run --label a=$long --label b=$long --label c=$long --label d=$long --label e=$long -- "$PROGRAM" exit 0
expect_status 2; expect_err "all labels together have 1023 bytes at most"
XFERSPY_LABELS=wrong run "$XFERSPY" run --label a=1 -- "$PROGRAM" exit 0; expect_status 2
expect_err "--label=a=1: a label is KEY=VALUE"
# So is a guard, also one of the environment, with what it needs from other options.
for guard in warn fail 'fail:d2h>64B,noop-upload' 'warn:pageable>1MiB'; do
    run "$XFERSPY" run --guard="$guard" -- sh -c 'echo "guard=$XFERSPY_GUARD"'; expect_status 0
    expect_out "guard=$guard"
done
run "$XFERSPY" run --guard='warn:waits-per-step>2' --step=it -- sh -c 'echo "$XFERSPY_GUARD"'; expect_status 0
for guard in '' on warn: fail:d2h 'warn:d2h>1,d2d>1' 'warn:d2h>1x' 'fail:h2d-in-step>0' 'fail:h2d-in-step>1B'; do
    run "$XFERSPY" run --guard="$guard" -- "$PROGRAM" exit 0; expect_status 2; expect_no_out
    expect_err "--guard=$guard: "
done
run "$XFERSPY" run --guard='warn:d2h>1,d2d>1' -- "$PROGRAM" exit 0
expect_err "\`d2d>1': there is no such rule; use h2d>SIZE"
run "$XFERSPY" run --guard='fail:h2d-in-step>0' -- "$PROGRAM" exit 0; expect_err "\`h2d-in-step>0': it is about steps"
run "$XFERSPY" run --guard=warn --fingerprint=off -- "$PROGRAM" exit 0; expect_status 2
expect_err "\`noop-upload': it is about contents, and --fingerprint=off"
XFERSPY_GUARD=always run "$XFERSPY" run -- "$PROGRAM" exit 0; expect_status 2
expect_err "--guard=always: use warn or fail"
# A # is all digits of a number.
why='a # in a name is all digits of a number, so no digit and no other # can follow it'
for option in --step='it #0' --step='it ##' --window='nvtx:it #9 of #'; do
    run "$XFERSPY" run "$option" -- "$PROGRAM" exit 0; expect_status 2; expect_no_out; expect_err "$option: $why"
done
run "$XFERSPY" run --step='it 0# of # #' -- sh -c 'echo "step=$XFERSPY_STEP"'; expect_status 0
expect_out "step=it 0# of # #"
# So is a pattern, and it is never printed.
run "$XFERSPY" run --redact='token|key' -- sh -c 'echo "redact=$XFERSPY_REDACT"'; expect_status 0
expect_out "redact=token|key"
run "$XFERSPY" run --redact='(sekret' -- "$PROGRAM" exit 0; expect_status 2; expect_no_out
expect_err "--redact: the pattern is no extended regular expression"; expect_not "sekret"
run "$XFERSPY" run --redact='((sekret{255}){255}){255}' -- "$PROGRAM" exit 0; expect_status 2
expect_err "--redact: the pattern repeats too much"; expect_not "sekret"
run "$XFERSPY" run --redact= -- "$PROGRAM" exit 0; expect_status 2; expect_err "--redact: the pattern is empty"
run "$XFERSPY" run --; expect_status 2
# What cannot be started.
run "$XFERSPY" run -- ./missing; expect_status 127; expect_no_out; expect_err "./missing"
run "$XFERSPY" run -- no-such-command-anywhere; expect_status 127; expect_err "command not found"
echo text >plain; run "$XFERSPY" run -- ./plain; expect_status 126; expect_err "./plain"
mkdir folder; run "$XFERSPY" run -- ./folder; expect_status 126
chmod +x plain; printf '#!/bin/sh\nexit 7\n' >plain; run "$XFERSPY" run -- ./plain; expect_status 7; expect_no_err
# Where preloading has no effect, that is said.
run "$XFERSPY" run -- "$STATIC_PROGRAM" exit 3; expect_status 3; expect_err "statically linked"
# No library, or one that LD_PRELOAD cannot name.
XFERSPY_LIBRARY=./missing.so run "$XFERSPY" run -- "$PROGRAM" exit 0; expect_error_of "XFERSPY_LIBRARY"
mkdir "a b"; cp "$DUMMY" "a b/lib.so"
XFERSPY_LIBRARY="a b/lib.so" run "$XFERSPY" run -- "$PROGRAM" exit 0; expect_error_of "blank"
# Beside the program, and in ../lib.
unset XFERSPY_LIBRARY
mkdir -p tree/bin tree/lib/xferspy; cp "$XFERSPY" tree/bin/xferspy; cp "$DUMMY" tree/lib/xferspy/libxferspy.so
run tree/bin/xferspy run -- "$PROGRAM" print; expect_status 0; expect_out "tree/lib/xferspy/libxferspy.so"
cp "$DUMMY" tree/lib/libxferspy.so; run tree/bin/xferspy run -- "$PROGRAM" print; expect_out "tree/lib/libxferspy.so"
cp "$DUMMY" tree/bin/libxferspy.so; run tree/bin/xferspy run -- "$PROGRAM" print; expect_out "tree/bin/libxferspy.so"

# Why there is no trace: no driver, or no call that could be seen; nothing where there is one, or where the reason was
# said before the program ran.
unset XFERSPY_QUIET
export XFERSPY_LIBRARY="$DUMMY"
mkdir driver; cp "$FAKE_DRIVER" driver/libcuda.so.1
LD_LIBRARY_PATH=$PWD/driver run "$XFERSPY" run -o x.db -- "$PROGRAM" exit 4
expect_status 4; expect_no_out; expect_err "no trace: $PROGRAM and what it started made no CUDA call"
expect_err "xferspy doctor"; expect_err "statically linked"
LD_LIBRARY_PATH=$PWD/driver run "$XFERSPY" run -o x.db -- "$PROGRAM" signal 15; expect_status 143; expect_err "no trace"
: >driver/libcuda.so.1
LD_LIBRARY_PATH=$PWD/driver run "$XFERSPY" run -- "$PROGRAM" exit 0; expect_status 0
expect_err "no trace: libcuda.so.1 cannot be loaded"
run "$XFERSPY" run -o "t 1.db" -- cp "$PROGRAM" "t 1.db"; expect_status 0; expect_no_err
run "$XFERSPY" run -o x.db -- "$STATIC_PROGRAM" exit 3; expect_status 3; expect_err "statically linked"
expect_not "no trace:"
run "$XFERSPY" run --quiet -o x.db -- "$PROGRAM" exit 0; expect_status 0; expect_no_err
run "$XFERSPY" run --enable=off -o x.db -- "$PROGRAM" exit 0; expect_status 0; expect_no_err
run "$XFERSPY" run -o x.db -- ./missing; expect_status 127; expect_not "no trace"
# A variable that is none is named before the program starts, once, and the library is told. Not where nothing is said.
XFERSPY_QUIET=off XFERSPY_FINGERPRNT=all XFERSPY_DEBUG_PTH=d run "$XFERSPY" run -- "$PROGRAM" signal 15
expect_status 143; expect_no_out
expect_err "xferspy: XFERSPY_FINGERPRNT is not an option; did you mean XFERSPY_FINGERPRINT?"
expect_err "did you mean XFERSPY_DEBUG_PATH?"
[ "$(grep -c 'is not an option' stderr)" = 2 ] || show "twice"
XFERSPY_QUIET=off XFERSPY_FINGERPRNT=all run "$XFERSPY" run -- sh -c 'echo "$XFERSPY_WARNED"'
expect_out "XFERSPY_FINGERPRNT,"
XFERSPY_QUIET=on XFERSPY_FINGERPRNT=all run "$XFERSPY" run -- sh -c 'echo "<$XFERSPY_WARNED>"'
expect_out "<>"; expect_no_err
