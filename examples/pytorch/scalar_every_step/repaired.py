"""wasteful.py, repaired: the energy is looked at every 250 steps. In between the host runs ahead."""

import sys
import time

import torch

STEPS, SIZE, LOOK_EVERY = 10000, 1 << 16, 250

device = torch.device("cuda")
field = torch.linspace(0, 1, SIZE, device=device)
source = torch.linspace(1, 0, SIZE, device=device)

field += (field * field).mean() * 0 * source  # warms up: loads kernels, changes nothing
torch.cuda.synchronize()
begin = time.perf_counter()
for step in range(1, STEPS + 1):
    field.mul_(0.999).add_(source, alpha=0.001)
    energy = (field * field).mean()
    if step % LOOK_EVERY == 0 and energy.item() > 1e6:
        sys.exit(f"diverged in step {step}")
torch.cuda.synchronize()
print(f"loop {1e3 * (time.perf_counter() - begin):.1f} ms", file=sys.stderr)
print(f"energy {energy.item():.4f}")
