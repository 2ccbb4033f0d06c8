# This program is right as it is, and a report has to say that little can be saved. Weights and batches lie on the
# GPU, and the loss is fetched once in 30 steps.
import time

import torch
from torch import nn

DEVICE = torch.device("cuda")
LAYERS, WIDTH, ROWS, STEPS = 8, 2048, 8192, 60

torch.manual_seed(9)
model = nn.Sequential(*[layer for _ in range(LAYERS) for layer in (nn.Linear(WIDTH, WIDTH), nn.GELU())]).to(DEVICE)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batches = [torch.randn(ROWS, WIDTH, device=DEVICE) for _ in range(4)]


def train(index):
    optimizer.zero_grad(set_to_none=True)
    loss = (model(batches[index % 4]) - batches[(index + 1) % 4]).square().mean()
    loss.backward()
    optimizer.step()
    return loss.detach()


train(0)
torch.cuda.synchronize()
start = time.perf_counter()
total = 0.0
for index in range(STEPS):
    loss = train(index)
    if index % 30 == 29:
        total += loss.item()
torch.cuda.synchronize()
seconds = time.perf_counter() - start
print("checksum %.4f" % total)
print("loop %.3f" % seconds)
