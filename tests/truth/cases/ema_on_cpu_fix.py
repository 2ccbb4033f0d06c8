# This program is ema_on_cpu.py, repaired. It keeps the average on the GPU.
import time

import torch
from torch import nn

DEVICE = torch.device("cuda")
BLOCKS, WIDTH, ROWS, STEPS, DECAY = 20, 1024, 1024, 120, 0.99


class Average:
    def __init__(self, model, device):
        self.means = [weight.detach().clone().to(device) for weight in model.parameters()]

    @torch.no_grad()
    def update(self, model):
        for mean, weight in zip(self.means, model.parameters()):
            mean.lerp_(weight.detach().to(mean.device), 1 - DECAY)


torch.manual_seed(20)
layers = []
for _ in range(BLOCKS):
    layers += [nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH), nn.GELU()]
model = nn.Sequential(*layers).to(DEVICE)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
average = Average(model, DEVICE)
batches = [torch.randn(ROWS, WIDTH, device=DEVICE) for _ in range(4)]
(model(batches[0]) - batches[1]).square().mean().backward()
torch.cuda.synchronize()

start = time.perf_counter()
for index in range(STEPS):
    optimizer.zero_grad(set_to_none=True)
    loss = (model(batches[index % 4]) - batches[(index + 1) % 4]).square().mean()
    loss.backward()
    optimizer.step()
    average.update(model)
torch.cuda.synchronize()
seconds = time.perf_counter() - start
total = sum(mean.double().abs().sum().item() for mean in average.means)
print("checksum %.2f %.5f" % (total, loss.item()))
print("loop %.3f" % seconds)
