# A terminal of a given size whose other end a test reads.
import errno
import fcntl
import os
import pty
import struct
import termios


# Gives the end that is read and the one that is a command's output, to be closed here when the command has it.
def open_terminal(columns, rows):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    return master, slave


# What is written there, piece by piece, until nobody has the other end any more.
def pieces(master):
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError as error:  # what a terminal says when its last writer is gone
            if error.errno != errno.EIO:
                raise
            return
        if not piece:
            return
        yield piece
