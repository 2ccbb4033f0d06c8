"""A CuPy script: arrays up, work in a kernel and in a library, results down, by several ways to ask for each."""

import cupy
import numpy

ROUNDS = 20

host = numpy.arange(1 << 18, dtype=numpy.float32).reshape(512, 512) % 16
pinned = cupy.cuda.alloc_pinned_memory(host.nbytes)
staging = numpy.frombuffer(pinned, numpy.float32, host.size).reshape(host.shape)
constant = cupy.asarray(host)
device = cupy.empty_like(constant)
stream = cupy.cuda.Stream(non_blocking=True)
total = 0.0
for i in range(ROUNDS):
    x = cupy.asarray(host + i)
    total += float((x + constant).sum())
    total += float(cupy.asnumpy(x[:, ::2]).sum())
    staging[...] = host
    with stream:
        device.set(staging, stream=stream)
        device *= 2
        device.get(out=staging, stream=stream)
    stream.synchronize()
    total += float(staging.sum())
    device.set(host)
print(f"total {total:.0f}")
