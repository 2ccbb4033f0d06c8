# top_on_terminal.py XFERSPY TRACE FIFO: runs `xferspy top` on a small terminal. After its first look the program that
# writes the trace copies more, after the second one it ends; FIFO is where it listens (programs/spooled.c). Fails with
# what is wrong with the looks.
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from pseudo_terminal import open_terminal, pieces

ROWS, COLUMNS = 8, 100
CLEAR = b"\033[H\033[2J"
xferspy, trace, fifo = sys.argv[1:]

master, slave = open_terminal(COLUMNS, ROWS)
environment = {**os.environ, "TERM": "xterm"}
top = subprocess.Popen([xferspy, "top", "--interval=1", trace], stdout=slave, stderr=subprocess.DEVNULL,
                       stdin=subprocess.DEVNULL, env=environment)
os.close(slave)
program = os.open(fifo, os.O_WRONLY)
said = [b"more\n", b"\n"]
written = b""
for piece in pieces(master):
    written += piece
    # after a look that is whole, and not before the one that has the copies
    looks = written.split(CLEAR)[1:]
    rates = [look for look in looks if look.count(b"\n") >= ROWS - 1]
    if len(said) == 2 and rates or len(said) == 1 and any(re.search(rb"now +H2D", look) for look in rates):
        os.write(program, said.pop(0))
status = top.wait()

wrong = []
if status != 0:
    wrong.append(f"exit status {status}")
if not written.startswith(CLEAR):
    wrong.append("the first look begins on a screen that is not cleared")
looks = written.replace(b"\r\n", b"\n").split(CLEAR)[1:]
if len(looks) < 3:
    wrong.append(f"{len(looks)} looks: before, with and after the copies")
for number, look in enumerate(looks, 1):
    lines = look.split(b"\n")
    if lines[-1] or len(lines) > ROWS:
        wrong.append(f"look {number} has {len(lines)} lines on a terminal of {ROWS}")
    if not re.match(rb" *(so far|now) ", re.sub(rb"\033\[[0-9;]*m", b"", lines[0])):
        wrong.append(f"look {number} does not begin with the rates: {lines[0]!r}")
    if b"\033" in re.sub(rb"\033\[[0-9;]*m", b"", look):
        wrong.append(f"look {number} moves the cursor itself")
if looks and b"so far" not in looks[0]:
    wrong.append("the first look is not of the run so far")
print(written.decode(errors="replace"))
print("\n".join(wrong), file=sys.stderr)
sys.exit(1 if wrong else 0)
