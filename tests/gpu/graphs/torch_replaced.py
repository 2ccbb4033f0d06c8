"""torch.cuda.CUDAGraph with replaced inputs: a captured step is replayed on new data, also while another thread
copies."""
import sys
import threading
import time

import torch

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 3
torch.manual_seed(1)
weights = torch.randn(512, 512, device="cuda") / 512**0.5
static = torch.zeros(256, 512, device="cuda")


def step(batch):
    hidden = torch.tanh(batch @ weights)
    return (torch.zeros_like(hidden) + hidden.clone()).sum(dim=1)


side = torch.cuda.Stream()
with torch.cuda.stream(side):
    for _ in range(3):
        step(static)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="thread_local"):
    result = step(static)

over = False
wrong = []


def copy_always():
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        while not over:
            there = torch.arange(1 << 16)
            if not torch.equal(there.cuda().cpu(), there):
                wrong.append(1)


thread = threading.Thread(target=copy_always)
thread.start()
worst, end = 0.0, time.monotonic() + SECONDS
while time.monotonic() < end:
    batch = torch.randn(256, 512)
    static.copy_(batch)
    graph.replay()
    worst = max(worst, (result - step(batch.cuda())).abs().max().item())
over = True
thread.join()
print(f"replays are right: {worst < 1e-2}, the other thread's copies: {not wrong}")
