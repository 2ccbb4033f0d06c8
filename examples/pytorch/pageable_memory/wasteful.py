"""Batches of a tensor in pageable memory, uploaded one after the other."""

import sys
import time

import torch

SAMPLES, BATCH, SIDE = 1024, 16, 512  # 1 MiB a sample

device = torch.device("cuda")
images = torch.linspace(0, 1, SAMPLES * SIDE * SIDE).reshape(SAMPLES, SIDE, SIDE)
total = torch.zeros(SIDE, SIDE, device=device)

total += torch.zeros(BATCH, SIDE, SIDE, device=device).mean(dim=0)  # warms up: loads kernels, changes nothing
torch.cuda.synchronize()
begin = time.perf_counter()
for batch in images.split(BATCH):
    total += batch.to(device).mean(dim=0)
torch.cuda.synchronize()
print(f"loop {1e3 * (time.perf_counter() - begin):.1f} ms", file=sys.stderr)
print(f"result {total.sum().item():.0f}")
