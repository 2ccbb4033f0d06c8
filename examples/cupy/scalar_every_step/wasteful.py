"""An iteration that looks at its error after every step: float() waits for the GPU, and then the GPU for the host."""

import sys
import time

import cupy

STEPS, SIZE = 5000, 1 << 18

state = cupy.zeros(SIZE, cupy.float32)
gradient = cupy.linspace(0, 1, SIZE, dtype=cupy.float32)

state += gradient * 0.0
state.max()  # warms up: loads kernels, changes nothing
cupy.cuda.Device().synchronize()
begin = time.perf_counter()
for _ in range(STEPS):
    state += gradient * 0.001
    error = state.max()
    if not float(error) < 1e6:
        raise SystemExit("diverged")
cupy.cuda.Device().synchronize()
print(f"loop {1e3 * (time.perf_counter() - begin):.1f} ms", file=sys.stderr)
print(f"result {float(error):.3f}")
