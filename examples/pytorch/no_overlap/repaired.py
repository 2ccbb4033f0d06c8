"""wasteful.py, repaired: while the GPU works on one batch, a second stream uploads the next to another buffer."""

import itertools
import sys
import time

import torch

EPOCHS, BATCHES, ROWS, SIZE = 5, 24, 2048, 4096  # 32 MiB a batch

device = torch.device("cuda")
weights = torch.linspace(-1, 1, SIZE * SIZE, device=device).reshape(SIZE, SIZE)
batches = [torch.linspace(i, i + 1, ROWS * SIZE).reshape(ROWS, SIZE).pin_memory() for i in range(BATCHES)]
total = torch.zeros((), dtype=torch.float64, device=device)
buffers = [torch.empty(ROWS, SIZE, device=device) for _ in range(2)]
upload_stream = torch.cuda.Stream()


def uploaded(batches):
    work_stream, ready = torch.cuda.current_stream(), None
    for batch, buffer in zip(batches, itertools.cycle(buffers)):
        upload_stream.wait_stream(work_stream)  # what the buffer had is used up
        with torch.cuda.stream(upload_stream):
            buffer.copy_(batch, non_blocking=True)
        if ready is not None:
            yield ready
        work_stream.wait_stream(upload_stream)
        ready = buffer
    yield ready


torch.tanh(torch.zeros(ROWS, SIZE, device=device) @ weights).sum()  # warms up: loads kernels, changes nothing
torch.cuda.synchronize()
begin = time.perf_counter()
for epoch in range(EPOCHS):
    for batch in batches:
        batch[:, 0] = epoch  # one of the features; no upload of the epoch before is still under way
    for x in uploaded(batches):
        total += torch.tanh(x @ weights).sum()
    print(f"epoch {epoch}: {total.item():.4e}")
torch.cuda.synchronize()
print(f"loop {1e3 * (time.perf_counter() - begin):.1f} ms", file=sys.stderr)
