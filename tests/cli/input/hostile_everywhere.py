"""hostile_everywhere.py XFERSPY GOLDEN SQL2DB FIXTURES: what hostile_everywhere.sh says. In the folder that it is
started in it makes variants of traces of a real GPU, gives them to every command in every format, and looks at exit
status, messages and data."""

import concurrent.futures
import csv
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import unicodedata
import xml.dom.minidom

XFERSPY, GOLDEN, SQL2DB, FIXTURES = sys.argv[1:5]
LONGEST_LINE = 2000  # characters of a line of text for people; names are cut far below
LONGEST_MESSAGE = 4000
BOUNDED = ("sh", "-c", 'ulimit -t 100 && exec "$@"', "-")  # so many seconds of processor time for one command

# --- the traces ---

PIECES = [
    b"<script>alert(1)</script><img src=x onerror=alert(2)>\"'&amp;--><!-- <style>",
    b"](http://x) **b** `c` | d |\n# head\n```\n]]> ]]&gt; <![CDATA[ \\",
    b"\x1b[31mred\x1b]8;;http://x\x07link\x1b]8;;\x07\x1b]0;title\x07 \xc2\x9b31m \xc2\x9d8;;x\xc2\x9c",
    b"first\nsecond\r\nthird\rfourth\tfifth\x0b\x0c\x7f\x08\xe2\x80\xa8\xe2\x80\xa9",
    b"\xff\xfe\x80 \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 cut \xe2\x80",
    b"\xe2\x80\xaegnp.exe \xe2\x81\xa6isolate \xe2\x80\x8fmark \xef\xbb\xbf\xef\xbf\xbe\xef\xbf\xbf",
    b"%s%n%x%1000000d {0} ${x} $(id) `id` %% =1+1 @SUM(1) '; DROP TABLE transfer; --",
    b"../../../../etc/passwd?a#b::error file=x,line=1::y%0Aend",
]
EVERYTHING = b" ".join(PIECES)
LONG = EVERYTHING + b"L" * 200_000 + EVERYTHING


def change(name, script=None, source="h100_cupy_lines.db", function=None):
    """A copy of a golden trace, changed by SQL or a function."""
    shutil.copyfile(os.path.join(GOLDEN, source), name)
    os.chmod(name, 0o644)
    database = sqlite3.connect(name)
    if script:
        database.executescript(script)
    if function:
        function(database)
    database.commit()
    database.close()
    return name


def tables(database):
    return [row[0] for row in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]


def columns(database, table):
    """Name, declared type and place in the key of each."""
    return [(row[1], row[2].upper(), row[5]) for row in database.execute(f'PRAGMA table_info("{table}")')]


def hostile(database):
    """Hostile text in every text column of every table, a row in eight with 200 KB of it."""
    changed = 0
    for table in tables(database):
        for column, declared, in_key in columns(database, table):
            if in_key or not (declared == "TEXT" or (table, column) == ("meta", "value")):
                continue
            # not what says which tables there are: the file would be refused, as it should be
            rows = "key <> 'schema_version' AND typeof(value) = 'text'" if table == "meta" else "1"
            for row, text in enumerate([LONG] + PIECES[:-1] if table != "module" else [EVERYTHING] + PIECES):
                done = database.execute(f'UPDATE "{table}" SET "{column}" = CAST(? AS TEXT) || rowid WHERE {rows} AND rowid % 8 = ?',
                                        (text, (row + 1) % 8))
                changed += done.rowcount
    assert changed > 300, changed
    for text in PIECES + [LONG]:
        database.execute("INSERT OR REPLACE INTO meta VALUES (CAST(? AS TEXT), CAST(? AS TEXT))",
                         (b"key " + text, text))
        database.execute("INSERT INTO note (at_ns, topic, text) VALUES (1, CAST(? AS TEXT), CAST(? AS TEXT))", (text, text))


def times(database):
    """Every column of times, of every table with rows."""
    for table in tables(database):
        names = [name for name, _, _ in columns(database, table) if name.endswith("_ns")]
        if names and table != "note":
            yield table, names


def jumping(database):
    """Clocks that jump: backwards by a second and back, ends before starts."""
    for table, names in times(database):
        for name in names:
            database.execute(f'UPDATE "{table}" SET "{name}" = "{name}" - 1000000000 WHERE id % 3 = 0')
            if name in ("return_ns", "end_ns", "free_return_ns"):
                database.execute(f'UPDATE "{table}" SET "{name}" = "{name}" - 777777777 WHERE id % 5 = 1')
    database.execute("UPDATE meta SET value = 1 WHERE key = 'duration_ns'")


def extreme(database):
    """Times and sizes at the ends of 64 bits."""
    values = (2**63 - 1, -(2**63), 0, -1, 2**63 - 2, -(2**63) + 1, 2**62)
    for table, names in times(database):
        names = names + [n for n, _, _ in columns(database, table)
                         if n in ("bytes", "memory_bytes", "width_bytes", "address")]
        for place, name in enumerate(names):
            for row, value in enumerate(values):
                database.execute(f'UPDATE "{table}" SET "{name}" = ? WHERE (id + ?) % 9 = ?', (value, 4 * place, row))
    database.execute("UPDATE meta SET value = 9223372036854775807 WHERE key IN ('duration_ns', 'start_unix_ns')")
    database.execute("UPDATE meta SET value = -9223372036854775808 WHERE key LIKE 'cost.%'")


def hostile_lines(name):
    """A trace of this version whose lines of source are hostile, one piece in each, in the places of its findings."""
    subprocess.run([SQL2DB, name, *(os.path.join(FIXTURES, f) for f in ("findings.sql", "callsites.sql"))], check=True)
    database = sqlite3.connect(name)
    database.execute("INSERT INTO source_file (id, path) VALUES (1, '/opt/app/train.py'), (2, '/build/reader/reader.c')")
    for place, (file, line) in enumerate(((1, 12), (1, 14), (2, 77), (1, 21), (1, 22))):
        text = LONG if place == 4 else b" ".join(PIECES[place:place + 4])
        database.execute("INSERT INTO source_line (file, line, text) VALUES (?, ?, CAST(? AS TEXT))",
                         (file, line, text))
    database.commit()
    database.close()


NO_SITES = """UPDATE transfer SET stack = NULL, nvtx_range = NULL; UPDATE sync SET stack = NULL; UPDATE memset SET stack = NULL;
UPDATE allocation SET stack = NULL, free_stack = NULL;
DELETE FROM stack; DELETE FROM stack_frame; DELETE FROM module; DELETE FROM python_code; DELETE FROM symbol;"""
NO_CUPTI = """DELETE FROM device_copy; DELETE FROM device_memset; DELETE FROM device_kernel; DELETE FROM device_sync;
DELETE FROM device_migration; DELETE FROM kernel_name; UPDATE meta SET value = 'not found' WHERE key = 'cupti.status';"""
NO_FINGERPRINTS = "DELETE FROM fingerprint; UPDATE transfer SET fingerprint = NULL;"
EMPTY = "DELETE FROM transfer; DELETE FROM fingerprint; DELETE FROM device_copy;"


def make():
    change("good.db")
    hostile_lines("lines.db")
    change("evil.db", function=hostile)
    change("evil2.db", function=hostile, source="h100_upload_wasteful.db")
    change("evil3.db", "UPDATE meta SET value = 'other' WHERE key = 'host'; UPDATE meta SET value = value + 1 WHERE key = 'pid';", function=hostile)
    change("jumping.db", function=jumping)
    change("jumping2.db", function=jumping, source="h100_upload_wasteful.db")
    change("extreme.db", function=extreme)
    change("extreme2.db", function=extreme, source="h100_upload_wasteful.db")
    change("no_transfers.db", EMPTY)
    change("no_rows.db", function=lambda d: [d.execute(f'DELETE FROM "{t}"') for t in tables(d)
                                             if "id" in [c[0] for c in columns(d, t)]])
    change("no_fingerprints.db", NO_FINGERPRINTS)
    change("no_cupti.db", NO_CUPTI)
    change("no_sites.db", NO_SITES)
    change("bare.db", NO_FINGERPRINTS + NO_CUPTI + NO_SITES)


# --- what is looked at ---

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\u200e\u200f\ufeff]")


def as_text(data, tabs=False):
    text = data.decode("utf-8")  # strict: invalid UTF-8 is an error
    found = CONTROLS.search(text) or (not tabs and re.search("\t", text))
    assert not found, f"control {found.group()!r} in {text[max(0, found.start() - 60):found.end() + 20]!r}"
    return text


def is_text(data):
    text = as_text(data)
    longest = max(text.split("\n"), key=len)
    assert len(longest) <= LONGEST_LINE, f"a line of {len(longest)}: {longest[:300]!r}"
    assert text.endswith("\n") or not text, "no end of line"


def is_table(data):
    as_text(data)


def is_tsv(data):
    lines = as_text(data, tabs=True).rstrip("\n").split("\n")
    assert len({line.count("\t") for line in lines}) == 1, "rows of different lengths"


def is_json(data):
    def unique(pairs):
        names = [name for name, _ in pairs]
        assert len(names) == len(set(names)), "a key twice"
        return dict(pairs)

    def finite(number):
        raise AssertionError(number)

    text = data.decode("utf-8")
    return json.loads(text, object_pairs_hook=unique, parse_constant=finite)


def is_jsonl(data):
    text = data.decode("utf-8")
    assert text == "" or text.endswith("\n")
    return [json.loads(line) for line in text.split("\n")[:-1]]


def is_csv(data):
    csv.field_size_limit(10_000_000)
    text = data.decode("utf-8")
    found = re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", text)
    assert not found, f"control {found.group()!r}"
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert len({len(row) for row in rows}) <= 1, "rows of different lengths"


def is_xml(data):
    xml.dom.minidom.parseString(data)


def is_markdown(data):
    text = as_text(data)
    # without code, in which nothing is markup
    bare = re.sub(r"(?<![`\\])(`+)(?!`).+?(?<!`)\1(?!`)", "", text, flags=re.S)
    found = re.search(r"<(script|img|style|!--)|(?<!\\)\]\(http://x\)|(?<!\\)\*\*b|^# head", bare, re.M)
    assert not found, f"markup: {bare[max(0, found.start() - 100):found.end() + 40]!r}"
    is_text(data)


SCRIPTS = None


def is_html(data):
    global SCRIPTS
    text = data.decode("utf-8")
    count = [len(re.findall(word, text, re.I)) for word in ("<script", "</script", "<style", "<!--")]
    if SCRIPTS is None:
        SCRIPTS = count
    assert count == SCRIPTS, f"script, its ends, style, comments: {count} in place of {SCRIPTS}"
    assert "<script>alert" not in text and "<img" not in text, "markup of the trace"
    assert text.rstrip().endswith("</html>"), "no end"
    assert len(data) < 10 * 1024 * 1024, f"{len(data)} bytes"


def is_github(data):
    for line in as_text(data).split("\n"):
        assert re.fullmatch(r"(::(error|warning|notice)( [a-z]+=[^,:]*(,[a-zA-Z]+=[^,:]*)*)?::.*)?", line), line[:300]
    is_text(data)


def is_sarif(data):
    assert is_json(data)["version"] == "2.1.0"


def is_protobuf(data):
    """A stream of packets: field 1, of the lengths that they say."""
    def varint(at):
        value = shift = 0
        while True:
            byte = data[at]
            value |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if byte < 128:
                return value, at

    at = 0
    while at < len(data):
        assert data[at] == 0x0A, at
        length, at = varint(at + 1)
        at += length
    assert at == len(data)


def is_openmetrics(data):
    text = as_text(data)
    assert text.endswith("# EOF\n")
    sample = re.compile(r'[a-z_:][a-z0-9_:]*(\{([a-z_]+="([^"\\\n]|\\[\\"n])*",?)*\})? [-+0-9.e]+( [0-9.]+)?')
    for line in text.split("\n")[:-1]:
        assert line.startswith("# ") or sample.fullmatch(line), line[:300]


# The formats of `export` that are not rows, which are below with their --what.
EXPORT_FORMATS = (("perfetto", is_protobuf), ("speedscope", is_json), ("openmetrics", is_openmetrics))


def is_nothing(data):
    assert data == b"", data[:200]


def is_anything(_):
    pass


failures = []
count = 0


def run(arguments, look=is_text, status=(0,), files=1, also=None):
    """One command: its exit status is one of these, at most one line of message a file, and data that `look` takes."""
    global count
    count += 1
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LD_PRELOAD", "NO_COLOR")}
    said = " ".join(arguments)
    try:
        done = subprocess.run([*BOUNDED, XFERSPY, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                              env=environment)
        message = as_text(done.stderr)
        lines = message.split("\n")[:-1]
        assert "runtime error" not in message and "Sanitizer" not in message, message[:1500]
        assert done.returncode in status, f"exit status {done.returncode}, not {status}: {message[-1500:]}"
        assert message == "" or message.endswith("\n"), "a message without an end"
        assert len(lines) <= files + (2 if done.returncode == 2 else 0), \
            f"{len(lines)} lines of message: {message[:1500]}"
        assert max(map(len, lines), default=0) <= LONGEST_MESSAGE, f"a long message: {message[:400]}"
        if done.returncode in (1, 2):
            assert lines, "an error without a message"
            assert done.stdout == b"" or look is not is_text, "data beside an error"
        if done.returncode in (0, 3):
            look(done.stdout)
            if also:
                also()
    except Exception as error:
        failures.append(f"xferspy {said}\n    {type(error).__name__}: {str(error)[:1800]}")


def jobs():
    """All of what is run, in an order in which what is needed is there."""
    whole = ("evil.db", "evil2.db", "lines.db")
    for trace in whole:
        for arguments in ([], ["--details"], ["--sections=all"],
                          ["--color=always", "--by=site", "--top=2", "--direction=h2d"], ["--site=*"]):
            yield ["report", *arguments, trace], is_text if "--color=always" not in arguments else is_anything
        for key in ("site", "function", "file", "module", "nvtx", "thread", "stream", "device"):
            yield ["report", f"--by={key}", trace], is_text
        yield ["report", "--format=json", "--by=site", trace], is_json
        yield ["report", "--format=markdown", trace], is_markdown
        yield ["explain", trace], is_text
        yield ["explain", "--json", trace], is_json
        yield ["explain", "--format=tsv", trace], is_tsv
        yield ["explain", "--undecided", trace], is_text
        yield ["explain", "--instances", "--format=tsv", trace], is_tsv
        for name in findings(trace):
            yield ["explain", "--all", "--full-stack", trace, name], is_text
        yield ["explain", "--json", trace, findings(trace)[0]], is_json
        for name, look in (("text", is_text), ("json", is_json), ("junit", is_xml), ("sarif", is_sarif),
                           ("github", is_github)):
            yield ["check", "--no-config", f"--format={name}", "--fail-on=any:0,sure:0", trace], look, (3,)
        yield ["html", trace], is_html
        for what in ("transfers", "findings", "allocations", "memsets", "launches", "kernels", "copies", "syncs",
                     "calls", "migrations"):
            yield ["export", "--format=jsonl", f"--what={what}", trace], is_jsonl
            yield ["export", "--format=csv", f"--what={what}", trace], is_csv
        for name, look in EXPORT_FORMATS:
            yield ["export", f"--format={name}", trace], look
        yield ["export", "--format=parquet", "-o", "fleet", trace], is_nothing
        for name, look in (("text", is_text), ("json", is_json), ("csv", is_csv), ("markdown", is_markdown)):
            yield ["fleet", f"--format={name}", trace], look
        yield ["info", trace], is_text
        yield ["top", "--once", trace], is_text
        yield ["info", "--json", trace], is_json
        for name, look in (("text", is_text), ("json", is_json), ("markdown", is_markdown)):
            yield ["try", f"--format={name}", trace, "--", "true"], look, (0, 3)
        yield ["query", "--tables", trace], is_text
        for name, look in (("table", is_table), ("json", is_json), ("csv", is_csv), ("tsv", is_tsv)):
            for table in ("meta", "note", "entry_point", "device"):
                yield ["query", f"--format={name}", trace, f"SELECT * FROM {table}"], look
        yield ["query", trace, "SELECT * FROM transfers; DROP TABLE transfer"], is_nothing, (1, 2)
        yield ["query", trace, 'SELECT "<script>\n\x1b[31m"'], is_anything, (0, 1)
    for name, look in (("text", is_text), ("json", is_json), ("markdown", is_markdown)):
        yield ["diff", f"--format={name}", "evil.db", "good.db"], look
        yield ["diff", f"--format={name}", "--all", "good.db", "evil.db"], look
        yield ["diff", f"--format={name}", "evil.db", "evil.db"], look
        yield (["diff", f"--format={name}", "--before", "evil.db", "evil3.db", "--after", "good.db", "evil2.db"],
               look, (0,), 4)
        yield ["report", f"--format={name}", "evil.db", "evil2.db", "evil3.db"], look, (0,), 3
        yield ["report", f"--format={name}", "--each", "evil.db", "evil2.db"], look, (0,), 3
    yield ["html", "evil.db", "evil3.db"], is_html, (0,), 2

    for trace in ("no_transfers.db", "no_rows.db", "jumping.db", "jumping2.db", "extreme.db", "extreme2.db",
                  "no_fingerprints.db", "no_cupti.db", "no_sites.db", "bare.db"):
        yield ["report", "--sections=all", "--details", trace], is_text
        yield ["report", "--json", "--by=site", "--since=1%", "--until=99%", trace], is_json
        yield ["explain", "--json", trace], is_json
        yield ["explain", "--undecided", trace], is_text
        yield ["diff", "good.db", trace], is_text
        yield ["diff", "--json", trace, "good.db"], is_json
        yield ["check", "--no-config", "--sarif", f"{trace}.sarif", trace], is_text, (0, 3)
        yield ["html", "good.db", trace], is_html
        for name, look in EXPORT_FORMATS:
            yield ["export", f"--format={name}", trace], look
        yield ["info", trace], is_text
        yield ["report", "good.db", trace], is_text, (0,), 2


def findings(trace):
    lines = subprocess.run([XFERSPY, "explain", "--format=tsv", trace], capture_output=True, text=True,
                           errors="replace").stdout.split("\n")
    return sorted({line.split("\t")[0] for line in lines[1:] if line}) or ["pageable"]


def derived():
    """Files that commands make of hostile traces, and what reads them."""
    def sound(name):
        def look():
            database = sqlite3.connect(name)
            assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
            database.close()
        return look

    run(["merge", "-o", "merged.db", "evil.db", "evil2.db", "evil3.db", "good.db"], is_anything, (0,), 4,
        sound("merged.db"))
    run(["anonymize", "evil.db", "-o", "anonymous.db"], is_text, (0,), 1, sound("anonymous.db"))
    run(["anonymize", "extreme.db", "-o", "anonymous2.db"], is_text, (0,), 1, sound("anonymous2.db"))
    shutil.copyfile("evil.db", "symbolized.db")
    run(["symbolize", "--force", "symbolized.db"], is_text, (0, 1), 1, sound("symbolized.db"))
    run(["check", "--no-config", "--write-baseline=baseline.json", "evil.db"], is_text, (0,))
    for arguments in (["report"], ["report", "--each"], ["info"]):
        run([*arguments, "merged.db"], is_text, (0,), 4)
    for trace in ("merged.db:good", "merged.db:evil"):
        for command in ("report", "explain", "info"):
            run([command, trace], is_text)
    run(["diff", "merged.db:good", "merged.db:evil3"], is_text)
    run(["report", "--json", "merged.db"], is_json, (0,), 4)
    run(["report", "--format=markdown", "merged.db"], is_markdown, (0,), 4)
    run(["check", "--no-config", "--format=junit", "merged.db"], is_xml, (3,), 4)
    run(["query", "merged.db", "SELECT * FROM merged_trace"], is_table)
    run(["check", "--no-config", "--baseline=baseline.json", "evil.db"], is_text, (0, 3))
    for trace in ("anonymous.db", "symbolized.db"):
        run(["report", trace], is_text)
    if os.path.exists("anonymous.db"):
        data = open("anonymous.db", "rb").read()
        for piece in (b"<script>", b"\x1b[31m", b"DROP TABLE", b"L" * 1000):
            if piece in data:
                failures.append(f"anonymous.db has {piece[:20]!r} of the trace")


def wrong_files():
    """What is no trace, to every command: an error of one line, and never a wait."""
    os.mkdir("folder")
    open("empty", "w").close()
    with open("picture.png", "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    os.mkfifo("fifo")
    os.symlink("loop", "loop")
    odd = "odd\x1b[31m\nname\u202e"
    shutil.copyfile("picture.png", odd)
    names = ["folder", "empty", "picture.png", "fifo", "loop", odd, "missing", "nsys.sqlite", "baseline.json",
             "/dev/null", "/dev/zero", ""]
    for name in names:
        for arguments in (["report", name], ["report", "--json", "good.db", name], ["explain", name],
                          ["explain", name, "pageable"],
                          ["diff", name, "good.db"], ["diff", "good.db", name], ["check", "--no-config", name],
                          ["check", "--no-config", "--baseline", name, "good.db"],
                          ["check", "--config", name, "good.db"],
                          ["html", name], ["html", "good.db", name], ["export", "--format=csv", name],
                          ["merge", "-o", "wrong.db", name], ["info", name], ["query", name, "SELECT 1"],
                          ["query", "--tables", name],
                          ["symbolize", name], ["anonymize", name, "-o", "wrong.db"],
                          ["import", name, "-o", "wrong.db"]):
            status = (1, 2)
            if name == "baseline.json" and "--baseline" in arguments:
                status = (0, 3)
            if name in ("empty", "/dev/null") and "--config" in arguments:
                status = (0, 3)  # no rules: those that are always there
            yield arguments, is_anything, status, 2
    name = "merged.db"
    for arguments in (["html", name], ["export", "--format=csv", name], ["import", name, "-o", "wrong.db"],
                      ["explain", name, "pageable"],
                      ["anonymize", name, "-o", "wrong.db"], ["check", "--no-config", f"--baseline={name}", "good.db"]):
        yield arguments, is_anything, (1,), 1
    yield ["diff", name, name], is_text, (0, 1), 4
    yield ["symbolize", name], is_anything, (0, 1), 4  # of each trace by itself
    yield ["diff", "good.db", "good.db"], is_text
    yield ["diff", "evil2.db", "evil.db"], is_text


def main():
    make()
    run(["html", "good.db"], is_html)  # what the parts of a page are
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda job: run(*job), jobs()))
        derived()
        list(pool.map(lambda job: run(*job), wrong_files()))
    for failure in failures:
        print("FAILED:", failure)
    print(f"{count} commands, {len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
