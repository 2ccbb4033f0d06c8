#!/bin/sh
cd "$(dirname "$0")" || exit 1
[ -e data.svm ] || python3 generate.py >data.svm || exit 1
exec ./main data.svm 0 200 1000
