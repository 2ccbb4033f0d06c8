#!/bin/sh
cd "$(dirname "$0")" || exit 1
./sc_gpu 10 20 256 65536 65536 1000 none output.txt 1 && cat output.txt
