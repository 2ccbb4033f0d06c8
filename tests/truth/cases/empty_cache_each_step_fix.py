# This program is empty_cache_each_step.py, repaired. It keeps the memory that PyTorch has allocated.
import time

import torch
from torch import nn

DEVICE = torch.device("cuda")
LAYERS, WIDTH, ROWS, STEPS = 12, 2048, 16384, 100

torch.manual_seed(1)
model = nn.Sequential(*[layer for _ in range(LAYERS) for layer in (nn.Linear(WIDTH, WIDTH), nn.GELU())]).to(DEVICE)
model.to(torch.bfloat16)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batches = [torch.randn(ROWS, WIDTH, device=DEVICE, dtype=torch.bfloat16) for _ in range(4)]


def train(index):
    optimizer.zero_grad(set_to_none=True)
    loss = (model(batches[index % 4]) - batches[(index + 1) % 4]).square().mean()
    loss.backward()
    optimizer.step()
    return loss.detach()


train(0)
torch.cuda.synchronize()
start = time.perf_counter()
for index in range(STEPS):
    loss = train(index)
torch.cuda.synchronize()
seconds = time.perf_counter() - start
print("checksum %.3f" % loss.item())
print("loop %.3f" % seconds)
