"""Lets run-slices decide when a program's loop goes on: a line on stdin asks for so many steps, a line on stdout
answers with the time that they took, in ns."""

import os
import sys
import time


def asked():
    return "BENCH_SLICES" in os.environ


def turns():
    """Numbers of steps: of each turn as many as were asked for."""
    number = 0
    print("ready", flush=True)
    for line in sys.stdin:
        begin = time.perf_counter_ns()
        for _ in range(int(line)):
            yield number
            number += 1
        print(time.perf_counter_ns() - begin, flush=True)


def serve(step):
    """`step` is called with the number of the step."""
    for number in turns():
        step(number)
