# The training is resumed from a checkpoint, and all of the optimizer's state is moved to the GPU, Adam's step
# counters too. Each optimizer step then reads every counter back and waits for it. This kind was reported in
# pytorch/pytorch issue 74424 and Lightning-AI/pytorch-lightning issue 19955. The repair leaves the counters on the
# CPU. "The cause" marks what has to change, "here" where the copies are made.
import io
import time

import torch
from torch import nn

DEVICE = torch.device("cuda")
BLOCKS, WIDTH, ROWS = 48, 256, 128
WARM, STEPS = 10, 400


def build():
    layers = []
    for _ in range(BLOCKS):
        layers += [nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH), nn.GELU()]
    model = nn.Sequential(*layers).to(DEVICE)
    return model, torch.optim.Adam(model.parameters(), lr=1e-4)


def move_state(optimizer, device):
    for state in optimizer.state.values():
        for name, value in state.items():
            if torch.is_tensor(value):
                state[name] = value.to(device)          # the cause


def train(model, optimizer, batches, steps):
    for index in range(steps):
        rows, wanted = batches[index % len(batches)]
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(rows), wanted)
        loss.backward()
        optimizer.step()  # <-- only here
    return loss


torch.manual_seed(11)
batches = [(torch.randn(ROWS, WIDTH, device=DEVICE), torch.randn(ROWS, WIDTH, device=DEVICE)) for _ in range(8)]
model, optimizer = build()
train(model, optimizer, batches, WARM)
saved = io.BytesIO()
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, saved)
saved.seek(0)

checkpoint = torch.load(saved, map_location="cpu")
model, optimizer = build()
model.load_state_dict(checkpoint["model"])
optimizer.load_state_dict(checkpoint["optimizer"])
move_state(optimizer, DEVICE)
torch.cuda.synchronize()

start = time.perf_counter()
loss = train(model, optimizer, batches, STEPS)
torch.cuda.synchronize()
seconds = time.perf_counter() - start
total = sum(weight.double().sum() for weight in model.parameters())
print("checksum %.5f %.5f" % (loss.item(), total.item()))
print("loop %.3f" % seconds)
