#!/bin/sh
cd "$(dirname "$0")" || exit 1
./main-repaired && md5sum <temperature.dat
