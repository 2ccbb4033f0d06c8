"""wasteful.py, repaired: the parts exchange arrays on the GPU. Between libraries, cupy.from_dlpack does that."""

import cupy

STEPS, SIZE = 20, 16 << 20

field = cupy.linspace(0, 1, SIZE, dtype=cupy.float32)
total = cupy.zeros(SIZE, cupy.float32)


def simulate(field):
    field *= 1.01
    return field


def collect(total, array):
    total += array * 0.1


for _ in range(STEPS):
    collect(total, simulate(field))
print(f"result {float(total[-16:].sum()):.3f}")
