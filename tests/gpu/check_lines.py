"""Reads `xferspy report --json --by=site` on standard input: does every upload and download come from a line of FOLDER?

    check_lines.py FOLDER [TEXT]    with TEXT: a line that has it
"""

import json
import os
import sys

folder, text = os.path.realpath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
rows = json.load(sys.stdin)["traces"][0]["by"]["rows"]
rows = [row for row in rows if row["transfers"] and any(way in row["site"] for way in ("HtoD", "DtoH"))]
wrong = 0
for row in rows:
    site = row.get("call_site") or {}
    file, number = site.get("file") or "", site.get("line") or 0
    line = ""
    if os.path.realpath(file).startswith(folder) and number:
        line = open(file, encoding="utf-8").read().splitlines()[number - 1]
    if not line or text not in line:
        wrong += row["transfers"]
        print(f"{row['transfers']} of {row['site']} at {file}:{number} {site.get('function')} in {site.get('module')}: {line.strip()}")
if not rows:
    print("no uploads or downloads")
sys.exit(1 if wrong or not rows else 0)
