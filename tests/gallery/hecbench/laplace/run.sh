#!/bin/sh
cd "$(dirname "$0")" || exit 1
./main && md5sum <temperature.dat
