"""An iteration that looks at its error after every step: float() waits for the GPU, and then the GPU for the host."""

import cupy

STEPS, SIZE = 1000, 1 << 18

state = cupy.zeros(SIZE, cupy.float32)
gradient = cupy.linspace(0, 1, SIZE, dtype=cupy.float32)

for _ in range(STEPS):
    state += gradient * 0.001
    error = float(state.max())
    if not error < 1e6:
        raise SystemExit("diverged")
print(f"result {error:.3f}")
