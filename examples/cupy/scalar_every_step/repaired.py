"""wasteful.py, repaired: the error is looked at every 250 steps, and the GPU has work in between."""

import sys
import time

import cupy

STEPS, SIZE, LOOK_EVERY = 5000, 1 << 18, 250

state = cupy.zeros(SIZE, cupy.float32)
gradient = cupy.linspace(0, 1, SIZE, dtype=cupy.float32)

state += gradient * 0.0
state.max()  # warms up: loads kernels, changes nothing
cupy.cuda.Device().synchronize()
begin = time.perf_counter()
for i in range(1, STEPS + 1):
    state += gradient * 0.001
    error = state.max()
    if i % LOOK_EVERY == 0 and not float(error) < 1e6:
        raise SystemExit("diverged")
cupy.cuda.Device().synchronize()
print(f"loop {1e3 * (time.perf_counter() - begin):.1f} ms", file=sys.stderr)
print(f"result {float(error):.3f}")
