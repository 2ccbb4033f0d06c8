"""A PyTorch training loop as people write it: a DataLoader with worker processes and pinned batches, uploads that do
not block, one that does, the loss read back now and then. Prints what has to be the same with and without xferspy, and
how long the loop took on standard error.

    train.py [--iterations N] [--profiler]    --profiler: torch.profiler around the middle third
"""

import argparse
import os
import sys
import time

import torch
from torch.profiler import ProfilerActivity, profile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../bench/programs"))
import slices  # noqa: E402

FEATURES, CLASSES, BATCH = 1024, 10, 64
ENDLESS = 10**7


class Samples(torch.utils.data.Dataset):
    """Noise whose label can be learnt; a sample depends on its number only."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        generator = torch.Generator().manual_seed(i)
        x = torch.randn(FEATURES, generator=generator)
        return x, int(x[:CLASSES].argmax())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--profiler", action="store_true")
    options = parser.parse_args()

    torch.manual_seed(0)
    device = torch.device("cuda")
    model = torch.nn.Sequential(
        torch.nn.Linear(FEATURES, 512), torch.nn.ReLU(), torch.nn.Linear(512, CLASSES)
    ).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    batches = ENDLESS if slices.asked() else options.iterations
    loader = torch.utils.data.DataLoader(Samples(batches * BATCH), batch_size=BATCH, num_workers=2, pin_memory=True)

    def step(x, y):
        x = x.to(device, non_blocking=True)
        y = y.to(device)
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    if slices.asked():
        left = iter(loader)
        slices.serve(lambda number: step(*next(left)).item() if number % 10 == 0 else step(*next(left)))
        os._exit(0)  # the workers have batches left

    third = options.iterations // 3
    profiler = None
    begin = time.perf_counter()
    for i, (x, y) in enumerate(loader):
        if options.profiler and i == third:
            torch.cuda.synchronize()
            profiler = profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])
            profiler.start()
        loss = step(x, y)
        if i % 10 == 0:
            print(f"iteration {i} loss {loss.item():.3f}")
        if profiler and i == 2 * third - 1:
            torch.cuda.synchronize()
            profiler.stop()
            events = [e for e in profiler.events() if e.device_type == torch.autograd.DeviceType.CUDA]
            copies = [e for e in events if "Memcpy" in e.name]
            print(f"profiler: {len(events)} CUDA events, {len(copies)} of them copies")
            profiler = None
    torch.cuda.synchronize()
    print(f"loop {1e3 * (time.perf_counter() - begin):.1f} ms", file=sys.stderr)
    print(f"weights {sum(p.double().sum().item() for p in model.parameters()):.2f}")


if __name__ == "__main__":
    main()
