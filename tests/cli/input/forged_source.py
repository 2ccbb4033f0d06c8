"""forged_source.py XFERSPY SQL2DB FIXTURES GOLDEN: what forged_source.sh says. Works in the folder that it is started
in."""

import os
import shutil
import sqlite3
import subprocess
import sys
import time

XFERSPY, SQL2DB, FIXTURES, GOLDEN = sys.argv[1:5]
SECRET = "TopSecret8472"
OLD = 1_600_000_000  # seconds; before any trace
NOBODY = 65534

failures = []
here = os.getcwd()


def path(*parts):
    return os.path.join(here, *parts)


def make_files():
    """What a forger could want to see. Each begins with the secret, and all are older than any run."""
    os.makedirs("secret/below")
    plain = (SECRET + "\n") * 100
    texts = {"id_rsa": plain, "huge": plain + "x" * (9 << 20), "binary": plain + "\0", "below/train.py": plain,
             "below/kept.c": plain}
    for name, text in texts.items():
        with open(path("secret", name), "w") as file:
            file.write(text)
        os.chmod(path("secret", name), 0o600)
        os.utime(path("secret", name), (OLD, OLD))
    os.symlink(path("secret/id_rsa"), path("secret/link"))
    os.mkfifo("secret/fifo")
    os.symlink("/proc/self/environ", "secret/environ")
    names = [path("secret", n) for n in ("id_rsa", "huge", "binary", "link", "fifo", "environ", "below/train.py",
                                         "below/kept.c")]
    names += ["/proc/self/environ", "/proc/self/cmdline", "/proc/thread-self/environ",
              f"/proc/self/root{path('secret/id_rsa')}", "/dev/zero", "/dev/stdin", "/dev/fd/0",
              path("secret/../secret/id_rsa"), "secret/id_rsa", "../" * 20 + path("secret/id_rsa")[1:]]
    if os.geteuid() == 0:  # a file of another user that root could read
        shutil.copyfile("secret/id_rsa", "secret/foreign")
        os.utime(path("secret/foreign"), (OLD, OLD))
        os.chown("secret/foreign", NOBODY, NOBODY)
        os.chmod("secret/foreign", 0o644)
        names.append(path("secret/foreign"))
    return names


# --- the traces ---

def change(name, function):
    database = sqlite3.connect(name)
    function(database)
    database.commit()
    database.close()


def aim(database, file, line=1):
    """All that a trace can say of where calls came from: this file, as Python's file and as the file of native code."""
    run = database.execute
    run("UPDATE python_code SET file = ?", (file,))
    run("UPDATE stack_frame SET line = ? + id % 50 WHERE code IS NOT NULL", (line,))
    run("UPDATE symbol SET file = ?, line = ? + id % 50, function = 'f' || id", (file, line))
    run("UPDATE module SET path = ?, build_id = NULL", (path("binary"),))
    run("UPDATE meta SET value = ? WHERE key = 'cwd'", (here,))


def forged(name, file, recorded=False, own=False):
    if recorded:
        shutil.copyfile(os.path.join(GOLDEN, "h100_cupy_lines.db"), name)
        os.chmod(name, 0o644)
    else:
        fixtures = [os.path.join(FIXTURES, f) for f in ("findings.sql", "callsites.sql")]
        subprocess.run([SQL2DB, name, *(["--own"] if own else []), *fixtures], check=True)
    change(name, lambda database: aim(database, file))
    return name


def build(binary, file):
    """A binary whose debug information names that file. Returns the address of a call in it."""
    with open("code.c", "w") as source:
        source.write(f'#line 1 "{file}"\nint copy(int n) {{ return n + 1; }}\nint main(void) {{ return copy(1); }}\n')
    subprocess.run(["cc", "-g", "-O0", "-o", binary, "code.c"], check=True)
    listed = subprocess.run(["nm", binary], capture_output=True, text=True, check=True).stdout
    return next(int(line.split()[0], 16) for line in listed.splitlines() if line.endswith(" T copy")) + 5


def trace_of(name, binary, address):
    """An own trace without symbols, of a call in that binary."""
    subprocess.run([SQL2DB, name, "--own", *(os.path.join(FIXTURES, f) for f in ("findings.sql", "callsites.sql"))],
                   check=True)

    def fill(database):
        database.execute("DELETE FROM symbol")
        database.execute("UPDATE module SET path = ?, load_bias = 0 WHERE id = 3", (path(binary),))
        database.execute("UPDATE stack_frame SET address = ? WHERE module = 3", (address,))

    change(name, fill)
    return name


def made_by_a_binary(name, file):
    return trace_of(name, "named", build("named", file))


def begin_at(name, seconds):
    change(name, lambda d: d.execute("UPDATE meta SET value = ? WHERE key = 'start_unix_ns'", (int(seconds * 10**9),)))


# --- the commands ---

ENVIRONMENT = {"A_TOKEN": SECRET, **{k: v for k, v in os.environ.items() if k not in ("LD_PRELOAD", "COLUMNS")}}


def few(trace):
    """One command for each piece of code that shows lines."""
    for arguments in (["report", "--details"], ["report", "--format=markdown"], ["explain", "--json"], ["html"],
                      ["check", "--no-config", "--format=sarif", "--fail-on=any:0"], ["symbolize"],
                      ["report", "--details"]):
        yield [*arguments, trace]
    yield ["diff", "--json", "--all", trace, trace]


def commands(trace):
    """Every command and format, with the files that it writes."""
    with_source = [
        ["report"], ["report", "--details"], ["report", "--sections=all"], ["report", "--format=markdown"],
        ["report", "--json", "--by=site"], ["report", "--by=file"], ["explain"], ["explain", "--json"],
        ["explain", "--format=tsv"], ["explain", "--instances", "--json"], ["html"],
        ["check", "--no-config", "--fail-on=any:0"], ["check", "--no-config", "--format=markdown", "--fail-on=any:0"],
        *(["check", "--no-config", f"--format={f}", "--fail-on=any:0"] for f in ("json", "junit", "sarif", "github")),
        ["check", "--no-config", "--sarif=x.sarif", "--junit=x.xml", "--force"],
        ["check", "--no-config", "--write-baseline=x.json", "--force"],
    ]
    for arguments in with_source:
        yield [*arguments, trace]
    for finding in ("pageable", "noop-upload", "scalar-readback", "duplicate-upload"):
        yield ["explain", "--full-stack", trace, finding]
        yield ["explain", "--json", trace, finding]
    shutil.copyfile(trace, "beside.db")
    change("beside.db", lambda d: d.execute("UPDATE meta SET value = value + 1 WHERE key = 'pid'"))
    for name in ("text", "json", "markdown"):
        yield ["report", f"--format={name}", trace, "beside.db"]
        yield ["report", f"--format={name}", "--each", trace, "beside.db"]
        yield ["diff", f"--format={name}", "--all", trace, "beside.db"]
    yield ["html", trace, "beside.db"]
    for name in ("perfetto", "speedscope", "openmetrics"):
        yield ["export", f"--format={name}", trace]
    for name in ("jsonl", "csv"):
        for what in ("transfers", "findings", "allocations", "syncs"):
            yield ["export", f"--format={name}", f"--what={what}", trace]
    yield ["info", trace]
    yield ["info", "--json", trace]
    for table in ("python_code", "symbol", "source_file", "source_line"):
        yield ["query", trace, f"SELECT * FROM {table}"]
    yield ["merge", "--force", "-o", "merged.db", trace, "beside.db"]
    yield ["report", "merged.db"]
    yield ["symbolize", "merged.db"]
    yield ["anonymize", "--force", trace, "-o", "anonymous.db"]
    yield ["report", "anonymous.db"]
    yield ["symbolize", trace]
    yield ["symbolize", "--force", trace]
    yield ["report", trace]


def written():
    """Whatever lies in this folder and is no input."""
    for name in os.listdir("."):
        if os.path.isfile(name) and name not in ("binary", "early", "named", "code.c"):
            yield name


def shown(arguments):
    bounded = ["sh", "-c", 'ulimit -t 60 && exec "$@"', "-"]  # seconds of processor time
    done = subprocess.run([*bounded, XFERSPY, *arguments], capture_output=True, env=ENVIRONMENT,
                          input=SECRET.encode() + b"\n")
    if done.returncode < 0:
        failures.append(f"{arguments}: signal {-done.returncode}")
    return SECRET.encode() in done.stdout + done.stderr


def expect_nothing(what, trace, run=few):
    """The first command that shows the secret is named, and one file that holds it."""
    for arguments in run(trace):
        if shown(arguments):
            failures.append(f"{what}: xferspy {' '.join(arguments)}")
            return
    for name in written():
        with open(name, "rb") as file:
            if SECRET.encode() in file.read():
                failures.append(f"{what}: is in {name}")
                return


def reports(trace):
    return [["report", "--details", trace], ["explain", "--json", trace], ["html", trace]]


def expect_shown(what, *arguments):
    if not shown(list(arguments)):
        failures.append(f"{what}: not shown by xferspy {' '.join(arguments)}")


# --- the cases ---

names = make_files()
early = build("early", path("secret/below/train.c"))
with open("binary", "w") as file:
    file.write("newer than the sources")

for name in names[:1] + names[5:6]:  # a plain file, and a link to one of /proc
    expect_nothing(f"{name}, of a recorded trace", forged("t.db", name, recorded=True), run=commands)
    for own in (False, True):
        expect_nothing(f"{name}, own: {own}", forged("t.db", name, own=own), run=commands)
for name in names:
    expect_nothing(f"{name}, of a recorded trace", forged("t.db", name, recorded=True))
    for own in (False, True):
        expect_nothing(f"{name}, own: {own}", forged("t.db", name, own=own))

# A binary of this machine may name its sources, and only these. So it has to be an own trace, unless the user asks.
os.rename("secret/below/train.py", "secret/below/train.c")
made_by_a_binary("t.db", path("secret/below/train.c"))
expect_shown("a source that a binary names", "report", "--details", "t.db")
for name in ("secret/id_rsa", "secret/binary", "secret/huge", "secret/fifo", "secret/link", "secret/environ"):
    expect_nothing(f"{name}, named by a binary", made_by_a_binary("t.db", path(name)))
for name, target in (("leads.c", "/proc/self/environ"), ("fifo.c", None)):
    os.symlink(target, path("secret", name)) if target else os.mkfifo(path("secret", name))
    expect_nothing(f"{name}, named by a binary", made_by_a_binary("t.db", path("secret", name)))
# A trace that was born long after the start that it names, or before it, came from elsewhere. The binary is older than
# both.
built = os.stat("early").st_ctime
time.sleep(max(0, built + 15 - time.time()))  # a trace may be born up to 10 s after its start
for what, start in (("later", built + 2), ("earlier", time.time() + 20)):
    trace_of("t.db", "early", early)
    begin_at("t.db", start)
    expect_nothing(f"a trace that was born {what} than its run began", "t.db", run=reports)
trace_of("t.db", "early", early)
expect_shown("a binary that was there before the run", "report", "--details", "t.db")
# So did a binary that came to be what it is after the run began.
made_by_a_binary("t.db", path("secret/below/train.c"))
os.chmod("named", 0o700)
begin_at("t.db", time.time() - 3)
expect_nothing("a binary that is younger than the run", "t.db", run=reports)

print("\n".join(failures[:40]) or "nothing was shown")
sys.exit(1 if failures else 0)
