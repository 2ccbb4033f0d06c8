"""An all-reduce of NCCL in a CUDA graph, replayed with other values, by two processes with a GPU each."""
import faulthandler
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 2.5


def work(rank, port, answers):
    faulthandler.dump_traceback_later(90, exit=True)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=2)
    values = torch.zeros(1 << 16, device="cuda")
    dist.all_reduce(values)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        summed = values * 2
        dist.all_reduce(summed)
    good, rounds = True, 0
    end = time.monotonic() + SECONDS
    going = torch.ones(1, device="cuda")
    while going.item() > 0:
        values.copy_(torch.full((1 << 16,), float(rounds + rank)))
        graph.replay()
        good &= bool((summed == 2 * (2 * rounds + 1)).all().item())
        rounds += 1
        going = torch.tensor([1.0 if time.monotonic() < end else 0.0], device="cuda")
        dist.broadcast(going, 0)
    graph.reset()  # NCCL waits for the end of every graph that holds its work
    torch.cuda.synchronize()
    dist.destroy_process_group()
    answers.put(good)


if __name__ == "__main__":
    context = mp.get_context("spawn")
    answers = context.Queue()
    port = 20000 + os.getpid() % 30000
    workers = [context.Process(target=work, args=(rank, port, answers)) for rank in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(f"sums are right: {[answers.get(timeout=10) for _ in workers]}")
    sys.exit(max(worker.exitcode for worker in workers))
