#!/usr/bin/env python3
"""forgeries.py --xferspy FILE --spooled FILE --sources DIR --golden DIR --work DIR [--seed N] [--long] [--only CASE]
             [--slower N]

Every command on forged traces (cases.py, pointers.py). What must be true of each run: no signal, at most 10 s of
processor time, at most 512 MiB of memory (256 where a spool is taken over), no file of more than 64 MiB written,
nothing changed or made but the output that was named and what belongs to the trace itself, one line for each trace that
is refused, and that line says why. --long takes all cases; else those that are marked as long are left out. --only
takes those of a name, in which * stands for any characters. Exit status 1 where something is not true, and 0 where all
of it is."""

import argparse
import concurrent.futures
import fnmatch
import hashlib
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cases
import pointers  # noqa: F401, its cases join the others

SECONDS, MEMORY_BYTES, RECOVERY_BYTES, FILE_BYTES, WALL_SECONDS = 10, 512 << 20, 256 << 20, 64 << 20, 600

# T: the trace; O: an output, which need not come to be.
COMMANDS = [
    "report T", "report --json T", "report --details --sections=all T", "report --by=site T", "report .",
    "report --format=markdown -o O T", "explain T", "explain --instances --format=tsv T", "explain --json T round-trip",
    "info --all T", "info --json T", "html -o O T", "check --no-config --fail-on=any:0 T",
    "check --no-config --format=sarif T", "check --no-config --baseline=T sound.db", "diff T sound.db",
    "diff sound.db T", "export --format=csv -o O T", "export --format=jsonl --what=calls -o O T",
    "export --format=perfetto -o O T", "export --format=speedscope -o O T", "export --format=openmetrics T",
    "merge -o O T sound.db", "anonymize -o O T", "symbolize T", "import -o O T", "query --tables T",
    "query --format=csv -o O T|SELECT * FROM transfers",
    "query T|SELECT count(*), sum(transfers.device_ns) FROM transfers JOIN kernels", "query T|SELECT * FROM note",
    "query T|SELECT * FROM stacks", "top --once T", "try T", "fleet T",
]
FEW = {"report T", "merge -o O T sound.db", "anonymize -o O T", "symbolize T"}
IMPORTS = ["import -o O T", "report T"]
# Take no trace, or start a program.
OTHER_COMMANDS = {"run", "bench", "doctor", "completion", "status", "start", "stop", "snapshot"}
OWN = {"t.db", "t.db-wal", "t.db-shm", "t.db-journal", "t.db.spool"}

failures, left_out, runs, slowest, largest = [], [], 0, (0, ""), (0, "")


def copy_of(source, target):
    """With holes kept, FIFOs made anew and links as they are."""
    subprocess.run(["cp", "-a", "--sparse=always", source, target], check=True)


def digest_of(path):
    """A digest of a file's content without its holes, which are not read."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        at = 0
        while True:
            try:
                at = os.lseek(file.fileno(), at, os.SEEK_DATA)
                end = os.lseek(file.fileno(), at, os.SEEK_HOLE)
            except OSError:
                break
            while at < end:
                file.seek(at)
                block = file.read(min(end - at, 1 << 20))
                if block.strip(b"\0"):
                    digest.update(b"%d" % at + block)
                at += max(len(block), 1)
    return digest.hexdigest()


def state_of_file(path):
    st = os.lstat(path)
    seen = [st.st_mode, 0 if os.path.isdir(path) and not os.path.islink(path) else st.st_size]
    seen.append(os.readlink(path) if os.path.islink(path) else "")
    return seen + [digest_of(path)] if os.path.isfile(path) and not os.path.islink(path) else seen


def state_of(folder):
    """What every file is."""
    found = {}
    for root, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(root, name)
            found[os.path.relpath(path, folder)] = state_of_file(path)
    return found


def state_of_memory(spool):
    """What is at the place of a spool in memory, and what a case has put beside it."""
    names = [name for name in (spool, spool + ".spool") if spool and os.path.lexists(name)]
    return {name: state_of_file(name) for name in names}


def delete_memory(spool):
    for name in state_of_memory(spool):
        subprocess.run(["rm", "-rf", name], check=True)


def limits(arguments, sparse):
    def apply():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS * arguments.slower, SECONDS * arguments.slower))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if not sparse:
            resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    return apply


def execute(arguments, command, folder, sparse):
    """Exit status, messages and the most memory of one command."""
    words = command.split("|")
    files = {"T": "t.db", "--baseline=T": "--baseline=t.db", "O": "out"}
    line = [files.get(word, word) for word in words[0].split()] + words[1:]
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": folder}
    environment["TMPDIR"] = os.path.join(folder, "tmp")
    with open(os.path.join(folder, "stderr"), "w+b") as messages:
        process = subprocess.Popen([arguments.xferspy, *line], cwd=os.path.join(folder, "in"), env=environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=messages,
                                   preexec_fn=limits(arguments, sparse))
        until = time.monotonic() + WALL_SECONDS * arguments.slower
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > until:
                process.kill()
            time.sleep(0.002)
        process.returncode = os.waitstatus_to_exitcode(status)
        messages.seek(0)
        return process.returncode, messages.read(1 << 20), usage


def check_messages(case, command, status, text):
    lines = text.decode("utf-8").split("\n")[:-1]
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f]", text.decode("utf-8")), "control characters"
    assert max(map(len, lines), default=0) <= 6000, f"a line of {max(map(len, lines))} characters"
    assert len(lines) <= 4, f"{len(lines)} lines"
    if status in (1, 2):
        assert lines, "an error without a message"
    if command == "report ." and not case.words:
        return  # in a folder, what is no trace is left out
    if (case.kind != "import") == command.startswith("import"):
        return
    named = [line for line in lines if "t.db" in line]
    if case.warned is not None:
        warnings = [line for line in named if "its process was killed" in line]
        assert len(warnings) == 1, f"{len(warnings)} lines about the killed process"
        assert case.warned in warnings[0], f"the line does not say: {case.warned}"
    if case.words is None:
        return
    assert status == 1, "was not refused"
    assert len(named) == 1, f"{len(named)} lines that name the trace"
    assert case.words in named[0], f"the line does not say: {case.words}"


def check_files(case, command, before, after):
    for name in sorted(set(before) | set(after)):
        own = os.path.basename(name) in OWN and name.count("/") == 0
        if before.get(name) == after.get(name) or name == "out":
            continue
        if name == "t.db-shm" or (name == "t.db-wal" and name not in before and after[name][1] == 0):
            continue  # SQLite's index of the log, and a log in which nothing is
        assert own, f"{name} was {'made' if name not in before else 'changed' if name in after else 'deleted'}"
        assert case.words is None or case.recovered, f"{name} was changed, and the trace was refused"
    mode = after.get("out", [0o100600])[0]
    assert mode == 0o100600, f"out has the mode {mode:o}"


def run(arguments, name, command, made, spool):
    global runs, slowest, largest
    case = cases.CASES[name]
    folder = os.path.join(arguments.work, f"run-{name}-{COMMANDS.index(command)}")
    copy_of(made, folder)
    os.makedirs(os.path.join(folder, "tmp"))
    inside = os.path.join(folder, "in")
    before, before_in_memory = state_of(inside), state_of_memory(spool)
    problem = None
    try:
        status, text, usage = execute(arguments, command, folder, "sparse" in name)
        seconds, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
        runs += 1
        slowest, largest = max(slowest, (seconds, f"{name}: {command}")), max(largest, (memory, f"{name}: {command}"))
        try:
            assert status >= 0, f"ended by {signal.Signals(-status).name} after {seconds:.1f} s"
            assert status <= 3, f"exit status {status}"
            most = RECOVERY_BYTES if "spool" in name or spool else MEMORY_BYTES
            assert arguments.slower > 1 or memory <= most, f"{memory >> 20} MiB"
            check_messages(case, command, status, text)
            check_files(case, command, before, state_of(inside))
            # the commands have a copy of this spool's trace
            assert state_of_memory(spool) == before_in_memory, "the spool in memory was changed or deleted"
            left = os.listdir(os.path.join(folder, "tmp"))
            assert not left, f"left in TMPDIR: {left}"
        except AssertionError as error:
            problem = f"{name}: xferspy {command}\n    {error}\n    {text.decode('utf-8', 'replace')[:600].strip()}"
    finally:
        subprocess.run(["rm", "-rf", folder], check=True)
    if problem:
        failures.append(problem)


def sound_trace(arguments, kind, path):
    """What a case begins with. t.db has rows in nearly every table: a trace of a real GPU; a killed one has a spool.
    Returns the name of the spool in memory, else ""."""
    golden = os.path.join(arguments.golden, "h100_cupy_lines.db")
    if kind in ("killed", "memory"):
        line = [arguments.spooled, path, "0"] + (["memory"] if kind == "memory" else [])
        with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            ready = process.stdout.readline().decode().split()
            process.communicate(b"\n")
        return ready[1] if len(ready) > 1 else ""
    if kind == "import":
        database = sqlite3.connect(path)
        for fixture in ("nsys_tables.sql", "nsys_new.sql"):
            with open(os.path.join(arguments.sources, "tests/cli/fixtures", fixture), encoding="utf-8") as file:
                database.executescript(file.read())
        database.commit()
        database.close()
    else:
        shutil.copyfile(golden, path)
    return ""


def make(arguments, name):
    """The case's folder, of which in/ is where the commands run, and its spool in memory. None where there is no memory
    for one."""
    case = cases.CASES[name]
    made = os.path.join(arguments.work, f"made-{name}")
    inside = os.path.join(made, "in")
    os.makedirs(inside)
    spool = sound_trace(arguments, case.kind, os.path.join(inside, "t.db"))
    if case.kind == "memory" and not spool:
        return made, None
    shutil.copyfile(os.path.join(arguments.golden, "h100_lines.db"), os.path.join(inside, "sound.db"))
    # a journal or a link names this folder, and not the copy's folder in which a command runs
    with open(os.path.join(inside, "victim.txt"), "w", encoding="utf-8") as file:
        file.write("precious")
    try:
        case.make(inside, random.Random(zlib.crc32(f"{arguments.seed} {name}".encode())))
    except BaseException:
        delete_memory(spool)
        raise
    return made, spool


def commands_of(arguments, name, number):
    case = cases.CASES[name]
    if case.kind == "import":
        return IMPORTS
    if arguments.long:
        return COMMANDS
    rest = [command for command in COMMANDS if command not in FEW]
    turn = set(rest[number % 12::12])  # over all cases every command has its turn
    return [c for c in COMMANDS if c in FEW or c in turn or c in case.also]


def all_of(arguments):
    with open(os.path.join(arguments.sources, "analyzer/cli/commands.def"), encoding="utf-8") as file:
        known = set(re.findall(r"^XS_COMMAND\((\w+),", file.read(), re.M))
    assert known == {command.split()[0] for command in COMMANDS} | OTHER_COMMANDS, "a command has no row in COMMANDS"
    every = arguments.long or arguments.only
    names = [n for n, c in cases.CASES.items() if every or not c.long_only]
    names = fnmatch.filter(names, arguments.only or "*")
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for number, name in enumerate(names):
            made, spool = make(arguments, name)
            if spool is None:
                left_out.append(name)
                continue
            commands = commands_of(arguments, name, number)
            try:
                for job in [pool.submit(run, arguments, name, command, made, spool) for command in commands]:
                    job.result()
            finally:
                delete_memory(spool)
            victim = os.path.join(made, "in/victim.txt")
            if not os.path.exists(victim) or open(victim, encoding="utf-8").read() != "precious":
                failures.append(f"{name}: the victim is gone, or another")
            subprocess.run(["rm", "-rf", made], check=True)
    return names


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for option in ("xferspy", "spooled", "sources", "golden", "work"):
        parser.add_argument(f"--{option}", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--slower", type=int, default=1)
    arguments = parser.parse_args()
    arguments.work = os.path.join(os.path.abspath(arguments.work), "forgeries")
    subprocess.run(["rm", "-rf", arguments.work], check=True)
    os.makedirs(arguments.work)
    begun = time.monotonic()
    names = all_of(arguments)
    subprocess.run(["rm", "-rf", arguments.work], check=True)
    print(f"{len(names)} forgeries, {runs} runs in {time.monotonic() - begun:.0f} s; slowest {slowest[0]:.1f} s ({slowest[1]}); "
          f"largest {largest[0] >> 20} MiB ({largest[1]})")
    if left_out:
        print(f"{len(left_out)} were left out: no tmpfs has room for a spool")
    for failure in failures:
        print("FAILED", failure)
    print(f"{len(failures)} failures" if failures else "all as expected")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
