"""A launch-bound loop, as inference in small batches is: ten small layers, one upload and one .item() a step. The GPU
waits for the host all the time, so whatever a launch costs more is seen in full. 3,000 steps, EXAMPLE_REPEAT times."""

import os
import sys
import time

import slices
import torch

STEPS, LAYERS, WIDTH, BATCH, WARM_UP = 3000, 10, 256, 8, 200

torch.manual_seed(0)
layers = [torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), torch.nn.ReLU()) for _ in range(LAYERS)]
model = torch.nn.Sequential(*layers).cuda()
x = torch.randn(BATCH, WIDTH).pin_memory()


def step():
    return model(x.cuda(non_blocking=True)).sum().item()


with torch.no_grad():
    for _ in range(WARM_UP):
        step()
    if slices.asked():
        slices.serve(lambda _: step())
        sys.exit()
    begin = time.perf_counter()
    for _ in range(STEPS * int(os.environ.get("EXAMPLE_REPEAT", "1"))):
        result = step()
    print(f"loop {1e3 * (time.perf_counter() - begin):.1f} ms", file=sys.stderr)
print(f"result {result:.3f}")
