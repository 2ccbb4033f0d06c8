"""A simulation that looks at its energy in every step: .item() waits for the GPU each time."""

import sys
import time

import torch

STEPS, SIZE = 10000, 1 << 16

device = torch.device("cuda")
field = torch.linspace(0, 1, SIZE, device=device)
source = torch.linspace(1, 0, SIZE, device=device)

field += (field * field).mean() * 0 * source  # warms up: loads kernels, changes nothing
torch.cuda.synchronize()
begin = time.perf_counter()
for step in range(1, STEPS + 1):
    field.mul_(0.999).add_(source, alpha=0.001)
    energy = (field * field).mean()
    if energy.item() > 1e6:
        sys.exit(f"diverged in step {step}")
torch.cuda.synchronize()
print(f"loop {1e3 * (time.perf_counter() - begin):.1f} ms", file=sys.stderr)
print(f"energy {energy.item():.4f}")
