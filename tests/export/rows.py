"""Reads the rows of `export` as JSON lines and as CSV, with Python's parsers, and demands that both hold the same rows.

rows.py NAME.jsonl...: beside each lies NAME.csv"""
import csv
import json
import sys

UNSAFE = set(map(chr, range(32))) | {"\x7f"}


def demand(condition, *what):
    if not condition:
        sys.exit("rows.py: " + " ".join(str(w) for w in what))


def shown(value):
    """A JSON value as CSV has it, before escapes; None: its text can look different there."""
    if value is None:
        return ""
    if isinstance(value, list):
        return " ".join(value)
    if isinstance(value, str):
        plain = value.isascii() and not UNSAFE & set(value) and "\\" not in value
        return ("'" + value if value[:1] in ("=", "+", "-", "@") else value) if plain else None
    return str(value)


def compare(jsonl, csv_file):
    with open(jsonl, encoding="utf-8", errors="strict", newline="\n") as file:
        lines = file.read().split("\n")
    demand(lines.pop() == "", "the last line has no end")
    objects = [json.loads(line, parse_constant=lambda c: demand(False, c)) for line in lines]
    with open(csv_file, encoding="utf-8", errors="strict", newline="") as file:
        text = file.read()
    demand(text.count("\n") == text.count("\r\n"), "a line that does not end in CRLF")
    rows = list(csv.reader(text.splitlines(True), strict=True))
    header = rows.pop(0)
    demand(len(rows) == len(objects), len(rows), "rows of CSV,", len(objects), "of JSON")
    for row, object in zip(rows, objects):
        demand(list(object) == header and len(row) == len(header), "columns differ", row)
        for name, cell in zip(header, row):
            demand(not UNSAFE & set(cell), "a control character in", name)
            demand(cell[:1] not in ("=", "+", "@"), "a formula in", name, cell)
            demand(cell[:1] != "-" or isinstance(object[name], (int, float)), "a formula in", name, cell)
            demand(len(cell) < 20000, "an endless text in", name)
            wanted = shown(object[name])
            if isinstance(object[name], float):
                demand(float(cell) == object[name], name, "is", cell)
                continue
            demand(wanted is None or wanted == cell, name, "is", repr(cell), "and", repr(object[name]))
    return len(rows)


for jsonl in sys.argv[1:]:
    print(jsonl, compare(jsonl, jsonl.removesuffix("jsonl") + "csv"), "rows")
