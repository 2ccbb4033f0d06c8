"""A JAX script: a compiled step over batches that come from the host, parameters that stay, a loss read back."""

import jax
import jax.numpy as jnp
import numpy

ROUNDS = 20


@jax.jit
def step(w, x):
    loss, gradient = jax.value_and_grad(lambda w: jnp.mean((x @ w) ** 2))(w)
    return w - 0.1 * gradient, loss


w = jax.device_put(numpy.ones((256, 64), numpy.float32))
for i in range(ROUNDS):
    x = jax.device_put(numpy.full((128, 256), 0.01 * (i + 1), numpy.float32))
    w, loss = step(w, x)
    if i % 5 == 0:
        print(f"round {i} loss {float(loss):.3f}")
print("shape", numpy.asarray(w).shape)
