"""Stands for the suite's own runner, which needs the whole package: makes the input with the suite's
initialize(), moves it to the device as the suite's CuPy framework does, runs the kernel and prints the
result. argv: the module of the kernel, N, npt, how often.
"""

import importlib
import sys

import cupy
import numpy

from azimint_naive import initialize

kernel = importlib.import_module(sys.argv[1]).azimint_naive
N, npt, repeat = (int(word) for word in sys.argv[2:5])

data, radius = initialize(N, numpy.float64)
for _ in range(repeat):
    result = kernel(cupy.asarray(data), cupy.asarray(radius), npt)
    cupy.cuda.Stream.null.synchronize()
result = cupy.asnumpy(result)
print(f"sum {result.sum():.6f}")
for i in range(0, npt, npt // 10):
    print(f"bin {i}: {result[i]:.9f}")
