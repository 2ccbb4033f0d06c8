"""forged_source.py XFERSPY SQL2DB FIXTURES GOLDEN: what forged_source.sh says. Works in the folder that it is started
in."""

import os
import shutil
import sqlite3
import subprocess
import sys

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
    texts = {"id_rsa": plain, "huge": plain + "x" * (9 << 20), "binary": plain + "\0", "below/train.py": plain}
    for name, text in texts.items():
        with open(path("secret", name), "w") as file:
            file.write(text)
        os.chmod(path("secret", name), 0o600)
        os.utime(path("secret", name), (OLD, OLD))
    os.symlink(path("secret/id_rsa"), path("secret/link"))
    os.mkfifo("secret/fifo")
    os.symlink("/proc/self/environ", "secret/environ")
    os.mkdir("sources")
    os.symlink(path("secret/id_rsa"), path("sources/leads_out"))
    os.symlink(path("secret"), path("sources/folder_out"))
    names = [path("secret", n) for n in ("id_rsa", "huge", "binary", "link", "fifo", "environ", "below/train.py")]
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
    """All that a trace can say of where calls came from: this file, as Python's and as that of native code."""
    run = database.execute
    run("UPDATE python_code SET file = ?", (file,))
    run("UPDATE stack_frame SET line = ? + id % 50 WHERE code IS NOT NULL", (line,))
    run("UPDATE symbol SET file = ?, line = ? + id % 50, function = 'f' || id", (file, line))
    run("UPDATE module SET path = ?, build_id = NULL", (path("binary"),))
    run("UPDATE meta SET value = ? WHERE key = 'cwd'", (here,))


def forged(name, file, version=4, identity=None, origin=None, own=False):
    if version == 3:
        shutil.copyfile(os.path.join(GOLDEN, "h100_cupy_lines.db"), name)
        os.chmod(name, 0o644)
    else:
        fixtures = [os.path.join(FIXTURES, f) for f in ("findings.sql", "callsites.sql")]
        subprocess.run([SQL2DB, name, *(["--own"] if own else []), *fixtures], check=True)

    def fill(database):
        aim(database, file)
        if identity:
            database.execute("INSERT INTO source_file VALUES (1, ?, ?, ?, ?, ?)", (file, *identity))
        if origin is not None:
            database.execute("INSERT OR REPLACE INTO meta VALUES ('origin', ?)", (origin,))

    change(name, fill)
    return name


def identity_of(file, low, high):
    if not os.path.isfile(file):
        return (4096, OLD * 10**9, low, high)
    found = os.stat(file)
    return (found.st_size, found.st_mtime_ns, low, high)


def stored_identity(name):
    database = sqlite3.connect(name)
    row = database.execute("SELECT bytes, mtime_ns, hash_low, hash_high FROM source_file").fetchone()
    database.close()
    return row or (0, 0, 0, 0)


def origin_of(name):
    database = sqlite3.connect(name)
    value = database.execute("SELECT value FROM meta WHERE key = 'origin'").fetchone()[0]
    database.close()
    return value


# --- the commands ---

ENVIRONMENT = {"A_TOKEN": SECRET, **{k: v for k, v in os.environ.items() if k not in ("LD_PRELOAD", "COLUMNS")}}


def few(trace, source=()):
    """One command for each piece of code that shows lines."""
    for arguments in (["report", "--details"], ["report", "--format=markdown"], ["explain", "--json"], ["html"],
                      ["check", "--no-config", "--format=sarif", "--fail-on=any:0"], ["symbolize"],
                      ["report", "--details"]):
        yield [arguments[0], *source, *arguments[1:], trace]
    yield ["diff", *source, "--json", "--all", trace, trace]


def commands(trace, source=()):
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
        yield [arguments[0], *source, *arguments[1:], trace]
    for finding in ("pageable", "noop-upload", "scalar-readback", "duplicate-upload"):
        yield ["explain", *source, "--full-stack", trace, finding]
        yield ["explain", *source, "--json", trace, finding]
    shutil.copyfile(trace, "beside.db")
    change("beside.db", lambda d: d.execute("UPDATE meta SET value = value + 1 WHERE key = 'pid'"))
    for name in ("text", "json", "markdown"):
        yield ["report", *source, f"--format={name}", trace, "beside.db"]
        yield ["report", *source, f"--format={name}", "--each", trace, "beside.db"]
        yield ["diff", *source, f"--format={name}", "--all", trace, "beside.db"]
    yield ["html", *source, trace, "beside.db"]
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
    yield ["report", *source, "merged.db"]
    yield ["symbolize", *source, "merged.db"]
    yield ["anonymize", "--force", trace, "-o", "anonymous.db"]
    yield ["report", *source, "anonymous.db"]
    yield ["symbolize", *source, trace]
    yield ["symbolize", "--force", *source, trace]
    yield ["report", *source, trace]


def written():
    """Whatever lies in this folder and is no input."""
    for name in os.listdir("."):
        if os.path.isfile(name) and name != "binary":
            yield name


def shown(arguments):
    bounded = ["sh", "-c", 'ulimit -t 60 && exec "$@"', "-"]  # seconds of processor time
    done = subprocess.run([*bounded, XFERSPY, *arguments], capture_output=True, env=ENVIRONMENT,
                          input=SECRET.encode() + b"\n")
    if done.returncode < 0:
        failures.append(f"{arguments}: signal {-done.returncode}")
    return SECRET.encode() in done.stdout + done.stderr


def expect_nothing(what, trace, source=(), run=few):
    """The first command that shows the secret is named, and one file that holds it."""
    for arguments in run(trace, source):
        if shown(arguments):
            failures.append(f"{what}: xferspy {' '.join(arguments)}")
            return
    for name in written():
        with open(name, "rb") as file:
            if SECRET.encode() in file.read():
                failures.append(f"{what}: is in {name}")
                return


def expect_shown(what, *arguments):
    if not shown(list(arguments)):
        failures.append(f"{what}: not shown by xferspy {' '.join(arguments)}")


# --- the cases ---

names = make_files()
with open("binary", "w") as file:
    file.write("newer than the sources")

for name in names[:1] + names[5:6]:  # a plain file, and a link to one of /proc
    expect_nothing(f"{name}, of an older trace", forged("t.db", name, version=3), run=commands)
    expect_nothing(name, forged("t.db", name), run=commands)
    expect_nothing(f"{name}, wrong hash", forged("t.db", name, identity=identity_of(name, 1, 2)), run=commands)
    expect_nothing(f"{name}, of a folder", forged("t.db", name), ["--source=sources"], run=commands)
for name in names:
    expect_nothing(f"{name}, of an older trace", forged("t.db", name, version=3))
    expect_nothing(name, forged("t.db", name))
    expect_nothing(f"{name}, wrong hash", forged("t.db", name, identity=identity_of(name, 1, 2)))
    expect_nothing(f"{name}, of a folder", forged("t.db", name), ["--source=sources"])
    unreadable = ("huge", "binary", "fifo", "environ", "foreign")
    if name.startswith(("/proc", "/dev")) or os.path.basename(name) in unreadable:
        expect_nothing(f"{name}, of an own trace", forged("t.db", name, own=True))
        expect_nothing(f"{name}, of the root folder", forged("t.db", name), ["--source=/"])
for name in ("leads_out", "folder_out/id_rsa", "../secret/id_rsa", "x/../../secret/id_rsa",
             "sources/folder_out/below/train.py"):
    expect_nothing(f"{name}, out of the folder", forged("t.db", name), ["--source=sources"])

# The origin of another trace, of a copy, and of none.
key = path("secret/id_rsa")
own = forged("own.db", key, own=True)
expect_shown("an own trace", "report", own)
for arguments in (["check", "--no-config", "--format=sarif", "--fail-on=any:0"], ["html"],
                  ["report", "--format=markdown"]):
    expect_shown("an own trace", *arguments, own)
os.rename("own.db", "moved.db")
expect_shown("an own trace that was moved", "report", "moved.db")
subprocess.run([XFERSPY, "merge", "moved.db", "-o", "own_merged.db"], check=False, capture_output=True)
expect_shown("a merged file of an own trace", "report", "own_merged.db")
shutil.copyfile("own_merged.db", "copy.db")
if shown(["report", "copy.db"]):
    failures.append("a copy of a merged file counts as an own one")
forged("t.db", key, origin=origin_of("moved.db"))
os.rename("moved.db", "kept.db")
subprocess.run([XFERSPY, "merge", "--force", "t.db", "-o", "own_merged.db"], check=False, capture_output=True)
expect_nothing("a merged file of a forged trace", "own_merged.db",
               run=lambda t, _: [["report", t], ["report", "--each", t], ["symbolize", t]])
os.rename("kept.db", "moved.db")
os.remove("own_merged.db")
origin = origin_of("moved.db")
shutil.copyfile("moved.db", "copy.db")
if shown(["report", "copy.db"]):
    failures.append("a copy of an own trace counts as one")
os.makedirs("kept")
for name in ("copy.db", "moved.db"):
    os.rename(name, os.path.join("kept", name))
other_end = origin[:-1] + ("0" if origin[-1] != "0" else "1")
for value in (origin, "0" * 64, other_end, origin[:32], "", "x" * 64, origin.upper() + "\n"):
    expect_nothing(f"origin {value}", forged("t.db", key, origin=value))

# An own trace, and the key of somebody else.
own = forged("own.db", key, own=True)
state = os.path.join(os.environ["XDG_STATE_HOME"], "xferspy", "key")
os.chmod(state, 0o644)
expect_nothing("a key that others can read", own)
os.chmod(state, 0o600)
os.rename(state, state + ".old")
own = forged("own.db", key, own=True)
os.rename(state + ".old", state)
expect_nothing("another key", own)
os.remove("own.db")

# A folder that the user names is read, and an identity that is right; in `check` only what is the user's own.
expect_shown("a folder", "report", "--source=secret", forged("t.db", "/elsewhere/app/id_rsa"))
expect_shown("a folder below", "report", "--source=secret", forged("t.db", "/elsewhere/below/train.py"))
forged("t.db", key)
shown(["symbolize", "--source=secret", "t.db"])
expect_shown("what symbolize added", "report", "t.db")
identity = stored_identity("t.db")
if shown(["report", "--source=off", "t.db"]):
    failures.append("--source=off shows text")
known = forged("t.db", key, identity=identity)
expect_shown("the identity", "report", known)
if shown(["check", "--no-config", "--format=sarif", "--fail-on=any:0", known]):
    failures.append("check reads files by their identity")
for place, what in enumerate(("size", "time", "hash", "hash")):
    wrong = list(identity)
    wrong[place] += 1
    expect_nothing(f"an identity with another {what}", forged("t.db", key, identity=wrong))

print("\n".join(failures[:40]) or "nothing was shown")
sys.exit(1 if failures else 0)
