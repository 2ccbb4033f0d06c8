"""A layer whose weights lie in host memory and go to the GPU in every step. They never change."""

import sys
import time

import torch

STEPS, SIZE = 50, 4096
weights = torch.linspace(-1, 1, SIZE * SIZE).reshape(SIZE, SIZE).pin_memory()


def step(x):
    return torch.tanh(x @ weights.to(device))


device = torch.device("cuda")
x = torch.ones(64, SIZE, device=device)
torch.tanh(x @ torch.zeros(SIZE, SIZE, device=device))  # warms up: loads kernels, changes nothing
torch.cuda.synchronize()
begin = time.perf_counter()
for _ in range(STEPS):
    x = step(x)
torch.cuda.synchronize()
print(f"loop {1e3 * (time.perf_counter() - begin):.1f} ms", file=sys.stderr)
print(f"result {x.sum().item():.2f}")
