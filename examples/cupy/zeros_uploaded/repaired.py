"""wasteful.py, repaired: the zeros are made where they are wanted."""

import cupy

STEPS, SIZE = 20, 16 << 20

data = cupy.linspace(1, 2, SIZE, dtype=cupy.float32)
total = cupy.zeros(SIZE, cupy.float32)

for i in range(STEPS):
    histogram = cupy.zeros(SIZE, cupy.float32)
    histogram += data * (i + 1)
    total += histogram * 0.1
print(f"result {float(total[-16:].sum()):.3f}")
