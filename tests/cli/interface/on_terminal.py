# on_terminal.py COLUMNS ROWS COMMAND...: runs a command with a terminal of that size as its output and prints what it
# wrote there, without carriage returns at line ends; lines that are wider than the terminal, colours aside, on standard
# error as well. Exits as the command does.
import fcntl
import os
import re
import sys
import termios

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from pseudo_terminal import open_terminal, pieces

columns, rows = int(sys.argv[1]), int(sys.argv[2])
master, slave = open_terminal(columns, rows)
child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    os.dup2(slave, 1)
    os.dup2(slave, 2)
    os.close(master)
    os.execvp(sys.argv[3], sys.argv[3:])
os.close(slave)
written = b"".join(pieces(master)).replace(b"\r\n", b"\n")
sys.stdout.buffer.write(written)
for line in re.sub("\033\\[[0-9;]*m", "", written.decode()).split("\n"):
    if len(line) > columns:
        print(f"wider than {columns} columns: {line}", file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
