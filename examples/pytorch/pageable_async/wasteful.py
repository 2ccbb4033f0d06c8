"""Uploads with non_blocking=True from tensors that are not pinned: each holds the host until its copy is over."""

import torch

BATCHES, SIZE = 20, 8 << 20  # 32 MiB a batch

device = torch.device("cuda")
batches = [torch.linspace(i, i + 1, SIZE) for i in range(BATCHES)]
total = torch.zeros(SIZE, device=device)

for batch in batches:
    total += batch.to(device, non_blocking=True)
print(f"result {total[-16:].sum().item():.3f}")
