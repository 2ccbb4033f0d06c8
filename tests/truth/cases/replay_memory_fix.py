# This program is replay_memory.py, repaired. It keeps the memory on the GPU and gathers there.
import random
import time

import numpy as np
import torch
from torch import nn

DEVICE = torch.device("cuda")
ENTRIES, FRAME, BATCH, STEPS = 20000, 4 * 48 * 48, 1024, 120

rng = np.random.default_rng(7)
memory = torch.from_numpy(rng.integers(0, 256, (ENTRIES, FRAME), dtype=np.uint8)).to(DEVICE)
random.seed(7)
torch.manual_seed(7)
net = nn.Sequential(nn.Linear(FRAME, 512), nn.ReLU(), nn.Linear(512, 6)).to(DEVICE)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-4)


def sample():
    chosen = random.sample(range(ENTRIES), BATCH)
    return memory[torch.tensor(chosen).to(DEVICE)].float()


def train():
    frames = sample()
    optimizer.zero_grad(set_to_none=True)
    loss = net(frames / 255).square().mean()
    loss.backward()
    optimizer.step()
    return loss.detach()


train()
torch.cuda.synchronize()
start = time.perf_counter()
for _ in range(STEPS):
    loss = train()
torch.cuda.synchronize()
seconds = time.perf_counter() - start
print("checksum %.5f" % loss.item())
print("loop %.3f" % seconds)
