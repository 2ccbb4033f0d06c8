"""An accumulator that starts from zeros of the host in every step. Pinned and asynchronous, and still for nothing."""

import sys
import time

import torch

STEPS, SIZE = 20, 16 << 20

device = torch.device("cuda")
data = torch.linspace(1, 2, SIZE, device=device)
total = torch.zeros(SIZE, device=device)

total.add_(data, alpha=0)  # warms up: loads kernels, changes nothing
torch.cuda.synchronize()
begin = time.perf_counter()
for i in range(STEPS):
    histogram = torch.zeros(SIZE, pin_memory=True).to(device, non_blocking=True)
    histogram.add_(data, alpha=i + 1)
    total.add_(histogram, alpha=0.1)
torch.cuda.synchronize()
print(f"loop {1e3 * (time.perf_counter() - begin):.1f} ms", file=sys.stderr)
print(f"result {total[-16:].sum().item():.3f}")
