"""Copies from where PyTorch programs make them: the main thread, a compiled function, the backward pass (another
thread), a DataLoader with workers and its pinning thread. Each line that copies is marked; the trace must name no
other.

    lines.py
"""

import torch

device = torch.device("cuda")


class Readback(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        total = gradient.sum().cpu()  # copies
        return gradient + total.to(device)  # copies


@torch.compile(backend="eager")  # copies: code that was compiled from a function has no line of it but the first
def compiled(x, weights):
    y = x @ weights.to(device)
    return torch.tanh(y)


def uploaded(loader):
    for batch in loader:
        yield batch.to(device, non_blocking=True)  # copies


def main():
    torch.manual_seed(0)
    data = torch.randn(64, 256)
    weights = torch.randn(256, 256)
    loader = torch.utils.data.DataLoader(data, batch_size=16, num_workers=2, pin_memory=True)
    total = 0.0
    for x in uploaded(loader):
        x.requires_grad_()
        y = Readback.apply(compiled(x, weights)).sum()
        y.backward()
        total += float(y.detach())  # copies
    print(f"total {total:.3f}")


main()
