# K-means collects the rows of each cluster with a boolean mask. To learn how many rows there are, the host waits for
# the GPU once for each cluster of each iteration. This kind was reported in kornia/kornia pull request 4545 and
# pytorch/pytorch issue 12461. The repair adds up all clusters by one product with a matrix of zeros and ones.
import time

import torch

DEVICE = torch.device("cuda")
ROWS, WIDTH, CLUSTERS, ITERATIONS = 60000, 16, 256, 60

torch.manual_seed(3)
# Small whole numbers: their sums are exact in any order, so that both programs print the same.
rows = torch.randint(0, 16, (ROWS, WIDTH), device=DEVICE).float()


def centers_of(labels, centers):
    sums, counts = [], []
    for cluster in range(CLUSTERS):
        members = rows[labels == cluster]  # <-- here
        sums.append(members.sum(dim=0))
        counts.append(len(members))
    counts = torch.tensor(counts, device=DEVICE)[:, None]
    return torch.where(counts > 0, torch.stack(sums) / counts.clamp(min=1), centers)


def iterate(centers):
    scores = rows @ centers.T - 0.5 * centers.square().sum(dim=1)
    return centers_of(scores.argmax(dim=1), centers)  # <-- caller


iterate(rows[:CLUSTERS])
torch.cuda.synchronize()
start = time.perf_counter()
centers = rows[:CLUSTERS]
for _ in range(ITERATIONS):
    centers = iterate(centers)
torch.cuda.synchronize()
seconds = time.perf_counter() - start
print("checksum %.3f" % centers.double().sum().item())
print("loop %.3f" % seconds)
