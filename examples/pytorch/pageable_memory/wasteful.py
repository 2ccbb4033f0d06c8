"""Batches that are gathered into a tensor in pageable memory, and uploaded from there."""

import sys
import time

import torch

SAMPLES, BATCH, SIDE = 1024, 16, 512  # 1 MiB a sample

device = torch.device("cuda")
images = torch.linspace(0, 1, SAMPLES * SIDE * SIDE).reshape(SAMPLES, SIDE, SIDE)
order = torch.arange(SAMPLES).reshape(BATCH, -1).T.flatten()  # stands for a shuffled one
batch = torch.empty(BATCH, SIDE, SIDE)
total = torch.zeros(SIDE, SIDE, device=device)

total += batch.zero_().to(device).mean(dim=0)  # warms up: loads kernels, changes nothing
torch.cuda.synchronize()
begin = time.perf_counter()
for indices in order.split(BATCH):
    torch.index_select(images, 0, indices, out=batch)
    total += batch.to(device).mean(dim=0)
torch.cuda.synchronize()
print(f"loop {1e3 * (time.perf_counter() - begin):.1f} ms", file=sys.stderr)
print(f"result {total.sum().item():.0f}")
