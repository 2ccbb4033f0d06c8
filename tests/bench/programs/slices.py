"""Lets run-slices decide when a program's loop goes on: a line on stdin asks for so many steps, a line on stdout
answers with the time that they took, in ns."""

import os
import sys
import time


def asked():
    return "BENCH_SLICES" in os.environ


def serve(step):
    """`step` is called with the number of the step."""
    number = 0
    print("ready", flush=True)
    for line in sys.stdin:
        end = number + int(line)
        begin = time.perf_counter_ns()
        while number < end:
            step(number)
            number += 1
        print(time.perf_counter_ns() - begin, flush=True)
