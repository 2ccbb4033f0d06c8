# For want of GPU memory, a pipeline keeps its blocks on the CPU. Each block goes to the GPU before its turn and back
# to the CPU after it, although its weights have not changed. This kind was reported in huggingface/diffusers pull
# request 12910 and huggingface/accelerate issue 1711. The repair keeps the blocks in pinned memory, drops the copy on
# the GPU and never fetches it.
import time

import torch

DEVICE = torch.device("cuda")
BLOCKS, WIDTH, ROWS, STEPS = 8, 4096, 256, 12

torch.manual_seed(6)
blocks = [torch.randn(WIDTH, WIDTH) / WIDTH ** 0.5 for _ in range(BLOCKS)]
first = torch.randn(ROWS, WIDTH, device=DEVICE)


def forward(rows):
    for number in range(BLOCKS):
        blocks[number] = blocks[number].to(DEVICE)  # <-- here
        rows = torch.tanh(rows @ blocks[number])
        blocks[number] = blocks[number].cpu()  # <-- here
    return rows


with torch.no_grad():
    forward(first)
    torch.cuda.synchronize()
    start = time.perf_counter()
    rows = first
    for _ in range(STEPS):
        rows = forward(rows)  # <-- caller
    torch.cuda.synchronize()
    seconds = time.perf_counter() - start
print("checksum %.3f" % rows.double().abs().sum().item())
print("loop %.3f" % seconds)
