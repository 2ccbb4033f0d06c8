"""Two parts of a program that exchange NumPy arrays: one brings its result to the host, the other sends it back."""

import sys
import time

import cupy
import cupyx
import numpy

STEPS, SIZE = 20, 16 << 20

field = cupy.linspace(0, 1, SIZE, dtype=cupy.float32)
total = cupy.zeros(SIZE, cupy.float32)


def simulate(field):
    field *= 1.01
    return field.get(out=host)


def collect(total, array):
    total += cupy.asarray(array) * 0.1


field *= 1.0
total += field * 0.0  # warms up: loads kernels, changes nothing
cupy.cuda.Device().synchronize()
begin = time.perf_counter()
host = cupyx.empty_pinned(SIZE, numpy.float32)  # with cupy.asnumpy(field) the download would be pageable besides
for _ in range(STEPS):
    collect(total, simulate(field))
cupy.cuda.Device().synchronize()
print(f"loop {1e3 * (time.perf_counter() - begin):.1f} ms", file=sys.stderr)
print(f"result {float(total[-16:].sum()):.3f}")
