# doctor: a line a check; the status says whether capture works. What it finds depends on the machine, so its parts are
# steered by variables here.
. "$SOURCE/lib.sh"
export XFERSPY_LIBRARY="$DUMMY"
run "$XFERSPY" doctor
[ $status -le 1 ] || show "status 0 or 1"
expect_no_err; expect_out "preload"; expect_out "driver"; expect_out "output"
grep -q '^ok    preload' stdout || show "the dummy can be preloaded"
run env --ignore-signal=CHLD "$XFERSPY" doctor
grep -q '^ok    preload' stdout || show "how a probe ended is known where SIGCHLD is ignored"
run "$XFERSPY" doctor --format=json; expect_out '"format": "xferspy-doctor"'
run "$XFERSPY" doctor --format=xml; expect_status 2; expect_err "use text or json"
run "$XFERSPY" doctor --json; expect_out '"format": "xferspy-doctor"'
echo "not a library" >broken.so
XFERSPY_LIBRARY=./broken.so run "$XFERSPY" doctor; expect_status 1
grep -q '^FAIL  preload' stdout || show "a broken library fails"
XFERSPY_LIBRARY=./missing.so run "$XFERSPY" doctor; expect_status 1; expect_out "not found"
CUDA_VISIBLE_DEVICES= run "$XFERSPY" doctor; expect_out "hides every GPU"
CUDA_INJECTION64_PATH=/x run "$XFERSPY" doctor; expect_out "another tool will take CUPTI"
# Where programs may be checkpointed from outside.
run "$XFERSPY" doctor; expect_not "checkpoints"
mkdir tools; printf '#!/bin/sh\n' >tools/cuda-checkpoint; chmod +x tools/cuda-checkpoint
PATH="$PWD/tools:$PATH" run "$XFERSPY" doctor; expect_out "$PWD/tools/cuda-checkpoint: the driver refuses to checkpoint"
expect_out "set XFERSPY_CUPTI=off for programs that are checkpointed from outside"
# What a trace will contain, as the environment has it.
run "$XFERSPY" doctor; expect_out "a trace has the command line with all arguments; paths, and the names of functions"
expect_out "the text of source lines that made calls; hashes of what was copied, not what was copied; nobody"
expect_out "(mode 0600)"; expect_out "XFERSPY_REDACT=PATTERN hides arguments; XFERSPY_SOURCE_LINES=off leaves the text out"
expect_out 'SECURITY.md, "What a trace contains"'
grep -q '^## What a trace contains$' "$SOURCE/../../SECURITY.md" || show "SECURITY.md has that section"
XFERSPY_SOURCE_LINES=off run "$XFERSPY" doctor; expect_out "no text of the program's sources"
expect_not "XFERSPY_SOURCE_LINES=off"; expect_not "lines of Python"
XFERSPY_STACK=none run "$XFERSPY" doctor; expect_out "no text of the program's sources"
XFERSPY_FINGERPRINT=off run "$XFERSPY" doctor; expect_out "nothing of what was copied"
XFERSPY_REDACT=sekret run "$XFERSPY" doctor; expect_not "sekret"; expect_not "all arguments"
expect_out "a trace has the command line without the arguments that match XFERSPY_REDACT"
XFERSPY_REDACT=sekret run "$XFERSPY" doctor --json; expect_out "without the arguments that match XFERSPY_REDACT"
XFERSPY_REDACT='(sekret' run "$XFERSPY" doctor; expect_not "sekret"
expect_out "a trace has the command line, its arguments hidden"
grep -q '^warn  variables.*XFERSPY_REDACT is no extended regular expression; all arg' stdout || show "a warning"
XFERSPY_CUPTI=off run "$XFERSPY" doctor; expect_out "switched off"
# What is known to harm a program with this CUPTI and this driver.
known() { FAKE_CUPTI_VERSION=$1 XFERSPY_CUPTI_LIBRARY="$FAKE_CUPTI" run "$XFERSPY" doctor; }
known 130001; expect_out "graph launches fail"; expect_not "can crash"
known 22; expect_out "graphs can crash"; expect_out "it is not detached here"; expect_not "launches fail"
known 23; expect_not "can crash"; expect_not "launches fail"
XFERSPY_OUTPUT=/no/such/folder/x.db run "$XFERSPY" doctor; expect_status 1
grep -q '^FAIL  output' stdout || show "output folder"
# A driver that hangs, and one that crashes: doctor does neither.
if [ -n "${FAKE_DRIVER-}" ]; then
    mkdir fake; cp "$FAKE_DRIVER" fake/libcuda.so.1
    export LD_LIBRARY_PATH="$PWD/fake"
    FAKE_DRIVER_DOES=hang run "$XFERSPY" doctor --timeout=1; expect_status 1; expect_out "no answer within 1 s"
    FAKE_DRIVER_DOES=crash run "$XFERSPY" doctor; expect_status 1; expect_out "crashed with signal"
    FAKE_DRIVER_DOES=fail run "$XFERSPY" doctor; expect_status 1; expect_out "cuInit failed"; expect_out "--gpus"
    FAKE_DRIVER_DOES=work run "$XFERSPY" doctor; expect_status 0; expect_out "Fake GPU (simulated)"
    expect_out "SIMULATED"
    # Where page-locking is refused, or worth nothing.
    expect_not "pinning"; expect_not "confidential"
    FAKE_DRIVER_DOES=refuse run "$XFERSPY" doctor; expect_status 0; expect_not "confidential computing is on"
    grep -q '^note  pinning .*refuses to page-lock a program.s memory (cudaHostRegister)' stdout || show "pinning"
    cp "$FAKE_DRIVER" fake/libnvidia-ml.so.1
    for says in cc ppcie; do
        FAKE_NVML_SAYS=$says FAKE_DRIVER_DOES=refuse run "$XFERSPY" doctor; expect_status 0
        grep -q '^note  pinning .*confidential computing is on: .* cudaHostRegister is refused' stdout || show "$says"
        expect_out "do not advise to pin"
    done
    FAKE_NVML_SAYS=off run "$XFERSPY" doctor; expect_not "confidential"
    rm fake/libnvidia-ml.so.1

    # Other shims of libcuda that are preloaded: by what they export, or by their name.
    mkdir shims; cp "$FAKE_DRIVER" shims/libown.so; cp "$DUMMY" shims/harmless.so
    LD_PRELOAD="$PWD/shims/libown.so:$PWD/shims/harmless.so" run "$XFERSPY" doctor
    grep -q "^note  shims  *$PWD/shims/libown.so (LD_PRELOAD) stands before the driver, too; " stdout || show "a shim"
    [ "$(grep -c '^note  shims .*before the driver' stdout)" -eq 1 ] || show "one shim"
    grep -q "^note  shims .*looks the driver's functions up gets" stdout && show "it is no look-up"
    expect_out "puts libxferspy.so first"
    # The loader complains about what is not there; doctor says by its name what it would be.
    LD_PRELOAD="libvgpu.so" run "$XFERSPY" doctor
    grep -q '^note  shims  *libvgpu.so (LD_PRELOAD), known as HAMi-core, stands before' stdout || show "HAMi-core"
fi
# On a terminal, no line is longer than it, and what goes on does so below the text.
need script
for columns in 60 100; do
    TERM=dumb COLUMNS=$columns script -qec "'$XFERSPY' doctor" /dev/null >stdout 2>stderr </dev/null
    tr -d '\r' <stdout | sed 's/→/>/' | awk -v most=$columns 'length($0) > most {
        path = 0 # which is longer than what is left of the line
        for (i = 1; i <= NF; i++) path = path || length($i) > 30
        if (!path) { print; wrong = 1 } } END { exit wrong }' >wide || show "wider than $columns: $(cat wide)"
    tr -d '\r' <stdout | grep -q '^                  [^ -]' || show "nothing was wrapped at $columns"
done
