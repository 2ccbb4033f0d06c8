# Python's multiprocessing with its forkserver: processes that are forked from a server which never called CUDA, in a
# program that did. Each copies a number of times that is its own. What is printed and how it ends is as without the
# library, each process that copied has one trace with exactly its copies, and the server has none.
set -u
. "$SOURCE/../needs.sh"
need_python ctypes multiprocessing
unset LD_PRELOAD 2>/dev/null
rm -rf "$WORK"; mkdir -p "$WORK"; cd "$WORK" || exit 99
export LD_LIBRARY_PATH="$SIM" PYTHONDONTWRITEBYTECODE=1
fail() {
    echo "FAILED: $*"
    for file in bare.out bare.err traced.out traced.err; do echo "--- $file"; cat $file; done
    ls
    exit 1
}

cat >program.py <<'END'
import ctypes, multiprocessing, os, sys

def copy(times, first):
    cuda = ctypes.CDLL("libcuda.so.1")
    context, memory = ctypes.c_void_p(), ctypes.c_uint64()
    sent, back = ctypes.create_string_buffer(b"x" * 4096, 4096), ctypes.create_string_buffer(4096)
    assert cuda.cuInit(0) == 0 and cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    assert cuda.cuCtxSetCurrent(context) == 0
    assert cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4096)) == 0
    for i in range(times):
        assert cuda.cuMemcpyHtoD_v2(memory, sent, ctypes.c_size_t(first + i)) == 0
    assert cuda.cuMemcpyDtoH_v2(back, memory, ctypes.c_size_t(first + times - 1)) == 0
    assert back.raw[:first + times - 1] == sent.raw[:first + times - 1]
    assert cuda.cuMemFree_v2(memory) == 0
    return times

def work(number, results):
    results.put((number, copy(10 * number, 1000 * number)))
    if number == 3:
        sys.exit(5)

if __name__ == "__main__":
    if sys.argv[1] == "before":
        copy(7, 1)
    context = multiprocessing.get_context("forkserver")
    results = context.Queue()
    workers = [context.Process(target=work, args=(number, results)) for number in (1, 2, 3)]
    for worker in workers:
        worker.start()
    print(sorted(results.get() for _ in workers))
    for worker in workers:
        worker.join()
    print([worker.exitcode for worker in workers])
    with context.Pool(1) as pool:
        print(pool.apply(copy, (50, 2000)))
        pool.close()
        pool.join()
    if sys.argv[1] == "after":
        copy(7, 1)
    sys.exit(3)
END
for when in before after; do
    rm -f ./*.db
    timeout -k 5 600 "$python" program.py $when >bare.out 2>bare.err; bare=$?
    timeout -k 5 600 "$XFERSPY" run --output='t.%p.db' "$python" program.py $when >traced.out 2>traced.err; traced=$?
    [ $bare -eq 3 ] && [ $traced -eq 3 ] || fail "$when: exit status $bare, with the library $traced"
    cmp -s bare.out traced.out && grep -qx '\[0, 0, 5\]' bare.out || fail "$when: standard output"
    grep -v '^xferspy: ' traced.err | cmp -s - bare.err || fail "$when: standard error"
    for trace in t.*.db; do
        "$XFERSPY" query --format=tsv "$trace" "SELECT sum(direction = 1), min(bytes), max(bytes), count(*),
            sum(result), (SELECT value FROM meta WHERE key = 'status') FROM transfer" | tail -n 1
    done | tr '\t' ' ' | sort >counts
    printf '%s\n' "10 1000 1009 11 0 complete" "20 2000 2019 21 0 complete" "30 3000 3029 31 0 complete" \
        "50 2000 2049 51 0 complete" "7 1 7 8 0 complete" | sort >expected
    cmp -s counts expected || { diff expected counts; fail "$when: the traces"; }
    [ -z "$(find . -name 't.*.db?*')" ] || fail "$when: left behind"
done
