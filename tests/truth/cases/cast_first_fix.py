# This program is cast_first.py, repaired. It sends the bytes and widens them on the device.
import time

import torch
from torch import nn

DEVICE = torch.device("cuda")
BATCH, HEIGHT, WIDTH, STEPS, SHIFT = 8, 720, 1280, 120, 4096
BYTES = BATCH * 3 * HEIGHT * WIDTH

torch.manual_seed(13)
recording = torch.randint(0, 256, (BYTES + SHIFT * STEPS,), dtype=torch.uint8)
net = nn.Sequential(nn.Conv2d(3, 16, 7, stride=4), nn.ReLU(), nn.Conv2d(16, 32, 3, stride=2), nn.ReLU(),
                    nn.AdaptiveAvgPool2d(1)).to(DEVICE)
total = torch.zeros((), device=DEVICE, dtype=torch.float64)


def images_of(step):
    return recording[step * SHIFT:step * SHIFT + BYTES].view(BATCH, 3, HEIGHT, WIDTH)


with torch.no_grad():
    net(torch.zeros(BATCH, 3, HEIGHT, WIDTH, device=DEVICE))
    torch.cuda.synchronize()
    start = time.perf_counter()
    for step in range(STEPS):
        images = images_of(step).to(device=DEVICE).to(dtype=torch.float32)
        total += net(images / 255).abs().sum()
    torch.cuda.synchronize()
    seconds = time.perf_counter() - start
print("checksum %.4f" % total.item())
print("loop %.3f" % seconds)
