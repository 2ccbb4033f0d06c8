# Runs a command whose standard error is a terminal, and fails with what is wrong:
#   progress.py shown TEXT COMMAND...        it shows a line of progress and removes it; its output is the file TEXT
#   progress.py dumb COMMAND...              it shows none on a terminal that is dumb
#   progress.py ended SIGNAL FILE COMMAND... the signal ends it while it writes FILE, or, for -, while it reads; no file
#                                            remains, but a FILE that was there before is whole
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from pseudo_terminal import open_terminal, pieces

COLUMNS = 80
PAUSE_S = 1.1  # the line is due after a second; a process that is stopped for so long is sure to be late
wrong = []


# Stops the child when the condition holds.
def stop(child, condition):
    while child.poll() is None and not condition(child):
        time.sleep(0.001)
    if child.returncode is not None:
        wrong.append("it ended before it could be stopped")
        return
    child.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)


# The reading has begun: the thread is there that shows the line.
def has_begun(child):
    try:
        return len(os.listdir(f"/proc/{child.pid}/task")) > 1
    except OSError:
        return False


def start(command, term="xterm"):
    master, slave = open_terminal(COLUMNS, 24)
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave, stdin=subprocess.DEVNULL,
                             env={**os.environ, "TERM": term})
    os.close(slave)
    return child, master


# What a terminal shows in its last line after all of this.
def screen(written):
    line, at = [], 0
    for character in written.decode():
        if character == "\r":
            at = 0
        elif character == "\n":
            line, at = [], 0
        else:
            line[at:at + 1] = character
            at += 1
        if len(line) > COLUMNS - 1:
            wrong.append(f"wider than the terminal: {''.join(line)!r}")
    return "".join(line).rstrip()


def shown(text, command):
    began = time.monotonic()
    child, master = start(command)
    stop(child, has_begun)
    time.sleep(PAUSE_S)
    child.send_signal(signal.SIGCONT)
    looks, written = [], b""
    with child.stdout:
        for piece in pieces(master):
            written += piece
            looks.append(screen(written))
        took = time.monotonic() - began
        if child.stdout.read() != open(text, "rb").read():
            wrong.append("the output is another than without a terminal")
    lines = [look for look in looks if look]
    shares = [int(m[1]) for look in lines if (m := re.fullmatch(
        r"xferspy: long\.db: (\d+) %, [\d,]+ rows/s, (?:\d+ min )?\d+ s left", look))]
    if len(shares) < 2 or len(shares) < len(lines) - 1:
        wrong.append(f"{len(shares)} of {len(lines)} lines say how far it is: {lines}")
    if shares != sorted(shares) or (shares and not 0 <= shares[0] <= shares[-1] <= 100):
        wrong.append(f"the shares go back: {shares}")
    if len(lines) > (took - 1) * 5 + 2:
        wrong.append(f"{len(lines)} lines in {took:.1f} s")
    if looks and looks[-1]:
        wrong.append(f"a line remains: {looks[-1]!r}")
    if child.wait() != 0:
        wrong.append(f"exit status {child.returncode}")


def dumb(command):
    child, master = start(command, "dumb")
    with child.stdout:
        written = b"".join(pieces(master))
        child.stdout.read()
    if written or child.wait() != 0:
        wrong.append(f"on a dumb terminal: {written!r}, exit status {child.wait()}")


def ended(name, file, command):
    before = sorted(os.listdir())
    if "--force" in command:
        with open(file, "w", encoding="utf-8") as old:
            old.write("the file of before")
        before = sorted({*before, file})
    child, master = start(command)
    # the new file has its own name or a temporary one
    stop(child, has_begun if file == "-" else lambda _: sorted(os.listdir()) != before)
    time.sleep(PAUSE_S)
    written = b""
    child.send_signal(signal.SIGCONT)
    child.send_signal(getattr(signal, "SIG" + name))
    with child.stdout:
        for piece in pieces(master):
            written += piece
    if child.wait() != -getattr(signal, "SIG" + name):
        wrong.append(f"exit status {child.returncode}")
    if sorted(os.listdir()) != before:
        wrong.append(f"there are {sorted(os.listdir())}, before {before}")
    if screen(written) and screen(written) != "xferspy: interrupted":
        wrong.append(f"a line remains: {screen(written)!r}")
    if "--force" in command:
        with open(file, encoding="utf-8") as old:
            if old.read() != "the file of before":
                wrong.append("the file of before is another")
        os.unlink(file)


if sys.argv[1] == "shown":
    shown(sys.argv[2], sys.argv[3:])
elif sys.argv[1] == "dumb":
    dumb(sys.argv[2:])
else:
    ended(sys.argv[2], sys.argv[3], sys.argv[4:])
print("\n".join(wrong), file=sys.stderr)
sys.exit(1 if wrong else 0)
