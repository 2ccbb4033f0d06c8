"""A JAX script as people write it: a compiled step over batches that come from the host, parameters that stay, the loss
read back now and then. EXAMPLE_REPEAT times as many steps."""

import os
import sys
import time

import jax
import jax.numpy as jnp
import numpy
import slices

STEPS, ROWS, FEATURES, LOOK_EVERY = 1000, 256, 512, 10


@jax.jit
def step(w, x):
    loss, gradient = jax.value_and_grad(lambda w: jnp.mean(jnp.tanh(x @ w) ** 2))(w)
    return w - 0.1 * gradient, loss


w = jax.device_put(numpy.full((FEATURES, 64), 0.01, numpy.float32))
batches = [numpy.full((ROWS, FEATURES), 0.01 * (i + 1), numpy.float32) for i in range(8)]
w, loss = step(w, batches[0])
loss.block_until_ready()


def step_and_look(number):
    global w, loss
    w, loss = step(w, jax.device_put(batches[number % len(batches)]))
    if number % LOOK_EVERY == 0 and not float(loss) < 1e12:
        sys.exit("diverged")


if slices.asked():
    slices.serve(step_and_look)
    sys.exit()
begin = time.perf_counter()
for i in range(STEPS * int(os.environ.get("EXAMPLE_REPEAT", "1"))):
    step_and_look(i)
loss.block_until_ready()
print(f"loop {1e3 * (time.perf_counter() - begin):.1f} ms", file=sys.stderr)
print(f"loss {float(loss):.4f}")
