"""What a copy of 0 bytes costs that Python code makes 20 frames deep, in ns: prints the median of batches.

    LD_PRELOAD=libxferspy.so XFERSPY_STACK=auto python3 tests/bench/python_depth.py     and the same with none
"""

import ctypes
import statistics
import time

FRAMES, CALLS, BATCHES = 20, 1000, 101

cuda = ctypes.PyDLL("libcuda.so.1")  # the call keeps the GIL: what is measured is not the waiting for it


def check(result):
    if result:
        raise SystemExit(f"CUDA error {result}")


def main():
    device, context, memory = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
    check(cuda.cuInit(0))
    check(cuda.cuDeviceGet(ctypes.byref(device), 0))
    check(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device))
    check(cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4096)))
    copy = cuda.cuMemcpyHtoDAsync_v2
    arguments = memory, ctypes.c_void_p(context.value), ctypes.c_size_t(0), None

    def batch():
        time.sleep(0.01)  # the drain thread catches up
        start = time.perf_counter_ns()
        for _ in range(CALLS):
            copy(*arguments)
        return (time.perf_counter_ns() - start) / CALLS

    def deeper(frames):
        if frames:
            return deeper(frames - 1)
        return [batch() for _ in range(BATCHES)]

    print(f"{statistics.median(deeper(FRAMES - 4)):.0f}")


main()
