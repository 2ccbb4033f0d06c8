#!/bin/sh
cd "$(dirname "$0")" || exit 1
exec ./srad-repaired 1024 1024 0 127 0 127 0.5 1000
