# This program is rank_on_host.py, repaired. It sorts on the GPU.
import time

import torch

DEVICE = torch.device("cuda")
BOXES, BEST, WIDTH, IMAGES = 400000, 1000, 256, 50


def best_of(scores):
    return torch.argsort(scores, descending=True, stable=True)[:BEST]


torch.manual_seed(4)
features = torch.randn(BOXES, WIDTH, device=DEVICE)
# A permutation has no equal scores, so that both programs choose the same boxes.
scores_of = [torch.randperm(BOXES, device=DEVICE).float() for _ in range(4)]
total = torch.zeros((), device=DEVICE, dtype=torch.float64)


def detect(index):
    chosen = features[best_of(scores_of[index % 4])]
    return (chosen @ chosen.T).double().abs().sum()


detect(0)
torch.cuda.synchronize()
start = time.perf_counter()
for index in range(IMAGES):
    total += detect(index)
torch.cuda.synchronize()
seconds = time.perf_counter() - start
print("checksum %.1f" % total.item())
print("loop %.3f" % seconds)
