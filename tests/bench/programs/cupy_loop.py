"""A CuPy script as people write it: a batch up, a few array expressions, a product, a number back now and then.
EXAMPLE_REPEAT times as many steps."""

import os
import sys
import time

import cupy
import numpy
import slices

STEPS, ROWS, COLUMNS, LOOK_EVERY = 500, 512, 512, 10

batch = numpy.linspace(0, 1, ROWS * COLUMNS, dtype=numpy.float32).reshape(ROWS, COLUMNS)
weights = cupy.linspace(-1, 1, COLUMNS * COLUMNS, dtype=cupy.float32).reshape(COLUMNS, COLUMNS)


def step(number):
    x = cupy.asarray(batch + numpy.float32(number % 7))
    y = cupy.tanh((x - x.mean()) @ weights)
    return (y * y).sum()


def step_and_look(number):
    energy = step(number)
    if number % LOOK_EVERY == 0 and not float(energy) < 1e12:
        sys.exit("diverged")
    return energy


float(step(0))
if slices.asked():
    slices.serve(step_and_look)
    sys.exit()
begin = time.perf_counter()
for i in range(STEPS * int(os.environ.get("EXAMPLE_REPEAT", "1"))):
    energy = step_and_look(i)
cupy.cuda.Device().synchronize()
print(f"loop {1e3 * (time.perf_counter() - begin):.1f} ms", file=sys.stderr)
print(f"energy {float(energy):.0f}")
