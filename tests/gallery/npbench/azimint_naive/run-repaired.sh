#!/bin/sh
cd "$(dirname "$0")" || exit 1
exec python3 run.py azimint_naive_cupy_repaired 1000000 1000 4
