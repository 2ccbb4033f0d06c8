# The training set is a NumPy array that is passed to a compiled function in each step. JAX sends all of it to the GPU
# each time. This kind was reported in jax-ml/jax pull request 3947 and kokabsc/gwkokab pull request 467. The repair
# puts the training set on the device once.
import os
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import jax
import jax.numpy as jnp
import numpy as np

ENTRIES, FEATURES, ROWS, STEPS = 65536, 1024, 4096, 60


def loss_of(weights, rows, targets):
    return jnp.mean((jnp.tanh(rows @ weights) - targets) ** 2)


@jax.jit
def train_step(weights, table, targets, order):
    loss, slope = jax.value_and_grad(loss_of)(weights, table[order], targets[order])
    return weights - 0.1 * slope, loss


rng = np.random.default_rng(8)
table = rng.standard_normal((ENTRIES, FEATURES), dtype=np.float32)
targets = np.tanh(table[:, :64])
weights = jnp.zeros((FEATURES, 64), dtype=jnp.float32)
orders = [jnp.asarray(rng.integers(0, ENTRIES, ROWS)) for _ in range(STEPS)]
jax.block_until_ready(train_step(weights, table, targets, orders[0]))

start = time.perf_counter()
for order in orders:
    weights, loss = train_step(weights, table, targets, order)  # <-- here
jax.block_until_ready(weights)
seconds = time.perf_counter() - start
print("checksum %.3f" % float(loss))
print("loop %.3f" % seconds)
