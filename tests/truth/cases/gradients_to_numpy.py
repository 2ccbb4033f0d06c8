# A logger fetches the gradient of each parameter as a NumPy array after each step, to write down its largest value.
# This kind was reported in allenai/allennlp pull request 3949 and NeuracoreAI/neuracore pull request 893. The repair
# finds the largest values on the GPU and fetches them once, at the end.
import time

import numpy as np
import torch
from torch import nn

DEVICE = torch.device("cuda")
BLOCKS, WIDTH, ROWS, STEPS = 16, 1024, 1024, 60

torch.manual_seed(5)
layers = []
for _ in range(BLOCKS):
    layers += [nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH), nn.GELU()]
model = nn.Sequential(*layers).to(DEVICE)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batches = [torch.randn(ROWS, WIDTH, device=DEVICE) for _ in range(4)]
history = []


def log_gradients():
    for parameter in model.parameters():
        history.append(float(np.abs(parameter.grad.cpu().numpy()).max()))  # <-- here


def train(index):
    optimizer.zero_grad(set_to_none=True)
    loss = (model(batches[index % 4]) - batches[(index + 1) % 4]).square().mean()
    loss.backward()
    optimizer.step()


train(0)
torch.cuda.synchronize()
start = time.perf_counter()
for index in range(STEPS):
    train(index)
    log_gradients()  # <-- caller
torch.cuda.synchronize()
seconds = time.perf_counter() - start
print("checksum %.5f" % sum(history))
print("loop %.3f" % seconds)
