# A detector fetches all scores of an image, sorts them on the host and sends the places of the best back to the GPU.
# The GPU waits for the sort. This kind was reported in ybarancan/STSU issue 11 and google/automl pull request 258.
# The repair sorts on the GPU.
import time

import numpy as np
import torch

DEVICE = torch.device("cuda")
BOXES, BEST, WIDTH, IMAGES = 400000, 1000, 256, 50


def best_of(scores):
    order = np.argsort(-scores.cpu().numpy(), kind="stable")[:BEST]  # <-- here
    return torch.from_numpy(order.copy()).to(DEVICE)  # <-- here


torch.manual_seed(4)
features = torch.randn(BOXES, WIDTH, device=DEVICE)
# A permutation has no equal scores, so that both programs choose the same boxes.
scores_of = [torch.randperm(BOXES, device=DEVICE).float() for _ in range(4)]
total = torch.zeros((), device=DEVICE, dtype=torch.float64)


def detect(index):
    chosen = features[best_of(scores_of[index % 4])]  # <-- caller
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
