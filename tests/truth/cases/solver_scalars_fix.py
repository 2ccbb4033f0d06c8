# This program is solver_scalars.py, repaired. It leaves the scalars on the GPU.
import time

import cupy

SIDE, ITERATIONS, SOLVES = 1024, 1500, 5

line = cupy.arange(SIDE * SIDE, dtype=cupy.float64) % 1009 / 1009
right = line.reshape(SIDE, SIDE)

# Both updates are one kernel each, so that the repair adds no kernel where the scalars are arrays.
advance = cupy.ElementwiseKernel("float64 p, float64 q, float64 rho, float64 pq", "float64 x, float64 r",
                                 "double alpha = rho / pq; x += alpha * p; r -= alpha * q", "cg_advance")
turn = cupy.ElementwiseKernel("float64 r, float64 next, float64 rho", "float64 p", "p = r + next / rho * p", "cg_turn")


def apply(x):
    y = 4.01 * x
    y[1:] -= x[:-1]
    y[:-1] -= x[1:]
    y[:, 1:] -= x[:, :-1]
    y[:, :-1] -= x[:, 1:]
    return y


def product(a, b):
    return (a * b).sum()


def solve(iterations, shift):
    x, r = cupy.zeros_like(right), right + shift
    p, rho = r.copy(), product(r, r)
    for _ in range(iterations):
        q = apply(p)
        advance(p, q, rho, product(p, q), x, r)
        new = product(r, r)
        turn(r, new, rho, p)
        rho = new
    return x


solve(2, 0)
cupy.cuda.Device().synchronize()
start = time.perf_counter()
total = sum(solve(ITERATIONS, shift).sum() for shift in range(SOLVES))
cupy.cuda.Device().synchronize()
seconds = time.perf_counter() - start
print("checksum %.6f" % float(total))
print("loop %.3f" % seconds)
