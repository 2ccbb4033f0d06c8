# A replay memory is a list of NumPy arrays. For each training step the host gathers a batch of them, stacks it and
# sends it to the GPU, which has nothing to do meanwhile. This kind was reported in UoA-
# CARES/cares_reinforcement_learning issue 68 and huggingface/transformers issue 18289. The repair keeps the memory on
# the GPU and gathers there.
import random
import time

import numpy as np
import torch
from torch import nn

DEVICE = torch.device("cuda")
ENTRIES, FRAME, BATCH, STEPS = 20000, 4 * 48 * 48, 1024, 120

rng = np.random.default_rng(7)
memory = list(rng.integers(0, 256, (ENTRIES, FRAME), dtype=np.uint8))
random.seed(7)
torch.manual_seed(7)
net = nn.Sequential(nn.Linear(FRAME, 512), nn.ReLU(), nn.Linear(512, 6)).to(DEVICE)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-4)


def sample():
    chosen = random.sample(range(ENTRIES), BATCH)
    frames = np.stack([memory[number] for number in chosen]).astype(np.float32)  # <-- here
    return torch.from_numpy(frames).to(DEVICE)  # <-- here


def train():
    frames = sample()  # <-- caller
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
