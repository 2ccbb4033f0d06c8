# In each step of a decoding loop, a list of 128 numbers becomes a tensor on the GPU. This pageable upload waits for
# the stream, so the host stands behind the forward pass that its bookkeeping could run beside. This kind was reported
# in sgl-project/sglang pull request 28491 and vllm-project/vllm pull request 2207. The repair makes the tensor in
# pinned memory and copies it with non_blocking=True.
import time

import torch
import torch.nn.functional as F

DEVICE = torch.device("cuda")
LAYERS, WIDTH, HIDDEN, VOCABULARY, REQUESTS, STEPS = 20, 4096, 14336, 32000, 128, 1000
TABLE = 256


class Request:
    def __init__(self, number):
        self.number, self.length, self.last = number, 512 + 16 * number, number
        self.blocks = [number * TABLE + block for block in range(self.length // 16)]
        self.window = [number] * 16

    def grow(self):
        self.length += 1
        if self.length % 16 == 0:
            self.blocks.append(self.number * TABLE + self.length // 16)
        self.window = self.window[1:] + [self.last]
        self.last = (self.last * 1103515245 + 12345 + sum(self.window)) % VOCABULARY
        row = self.blocks + [0] * (TABLE - len(self.blocks))
        return {"position": self.length, "row": row, "used": len(self.blocks)}


torch.manual_seed(17)
bf16 = {"device": DEVICE, "dtype": torch.bfloat16}
embedding = torch.randn(VOCABULARY, WIDTH, **bf16)
up = [torch.randn(WIDTH, HIDDEN, **bf16) / WIDTH ** 0.5 for _ in range(LAYERS)]
down = [torch.randn(HIDDEN, WIDTH, **bf16) / HIDDEN ** 0.5 for _ in range(LAYERS)]
head = torch.randn(WIDTH, VOCABULARY, **bf16) / WIDTH ** 0.5
counts = torch.zeros(REQUESTS, VOCABULARY, device=DEVICE)
ones = torch.ones(REQUESTS, 1, device=DEVICE)
requests = [Request(number) for number in range(REQUESTS)]
total = torch.zeros((), device=DEVICE, dtype=torch.float64)
positions = 0


def forward(latest):
    rows = embedding[latest]
    for widen, narrow in zip(up, down):
        rows = rows + torch.relu(F.layer_norm(rows, (WIDTH,)) @ widen) @ narrow
    return (F.layer_norm(rows, (WIDTH,)) @ head).float() - 0.1 * counts


def latest_tokens():
    numbers = [request.last for request in requests]
    return torch.tensor(numbers, device=DEVICE)  # <-- here


with torch.no_grad():
    forward(torch.zeros(REQUESTS, device=DEVICE, dtype=torch.long))
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(STEPS):
        latest = latest_tokens()
        counts.scatter_add_(1, latest[:, None], ones)
        plan = [request.grow() for request in requests]
        positions += sum(entry["position"] for entry in plan)
        total += forward(latest).amax(dim=1).sum()
    torch.cuda.synchronize()
    seconds = time.perf_counter() - start
print("checksum %.2f %d" % (total.item(), positions))
print("loop %.3f" % seconds)
