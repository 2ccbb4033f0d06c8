# A solver of conjugate gradients brings two scalar products to the host in each iteration, and gives them to the next
# kernel. The host waits for the GPU twice, and the GPU then waits for the host. This kind was reported in cupy/cupy
# pull request 9824 and KratosMultiphysics/Kratos pull request 14615. The repair leaves the scalars on the GPU.
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
    return float((a * b).sum())  # <-- only here


def solve(iterations, shift):
    x, r = cupy.zeros_like(right), right + shift
    p, rho = r.copy(), product(r, r)
    for _ in range(iterations):
        q = apply(p)
        advance(p, q, rho, product(p, q), x, r)  # <-- caller
        new = product(r, r)  # <-- caller
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
