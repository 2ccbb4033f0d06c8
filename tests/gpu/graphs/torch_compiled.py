"""torch.compile(mode="reduce-overhead"): PyTorch captures the compiled step into CUDA graphs and replays them."""
import sys
import time

import torch

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(512, 1024), torch.nn.GELU(), torch.nn.Linear(1024, 16)).cuda()
compiled = torch.compile(model, mode="reduce-overhead")
end = time.monotonic() + 2.5  # so that CUPTI is flushed some times between the replays
worst = 0.0
count = 0
with torch.no_grad():
    while count < STEPS or time.monotonic() < end:
        torch.compiler.cudagraph_mark_step_begin()
        batch = torch.randn(256, 512).cuda()
        worst = max(worst, (compiled(batch) - model(batch)).abs().max().item())
        count += 1
print(f"compiled and eager agree: {worst < 1e-2}")
