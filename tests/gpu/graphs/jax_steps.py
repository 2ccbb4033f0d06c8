"""A training loop in JAX whose loss is read in every step. XLA captures the step into CUDA graphs ("command buffers"),
instantiates them once, and gives their nodes new arguments in every step. Prints the sum of the losses."""
import os
import sys

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import jax
import jax.numpy as jnp
import numpy as np

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 100
ROWS, FEATURES, HIDDEN, TARGETS = 1024, 1024, 4096, 16


def loss_of(weights, rows):
    hidden = jnp.tanh(rows @ weights[0])
    hidden = jnp.tanh(hidden @ weights[1])
    return jnp.mean((hidden @ weights[2] - rows[:, :TARGETS]) ** 2)


@jax.jit
def step(weights, rows):
    loss, slopes = jax.value_and_grad(loss_of)(weights, rows)
    return [weight - 0.05 * slope for weight, slope in zip(weights, slopes)], loss


random = np.random.default_rng(1)
table = random.standard_normal((8 * ROWS, FEATURES), dtype=np.float32)
shapes = [(FEATURES, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, TARGETS)]
weights = [jnp.asarray(random.standard_normal(shape, dtype=np.float32) / shape[0] ** 0.5) for shape in shapes]
losses = []
for _ in range(STEPS):
    weights, loss = step(weights, table[random.integers(0, len(table), ROWS)])
    losses.append(float(loss))
print(f"{STEPS} steps, all finite: {all(np.isfinite(losses))}, falling: {losses[-1] < losses[0]}")
