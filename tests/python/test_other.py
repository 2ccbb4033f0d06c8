"""Stacks of other threads, which run while their frames are read: each is one that the thread had, or is dropped."""
import ctypes
import subprocess
import sys
import threading
import time

from stacks import PATH, READ, RELEASED, VERSION, clean, equal, main, parsed, shown, test, told

if READ:
    STATE = ctypes.pythonapi.PyThreadState_Get
    STATE.restype = ctypes.c_void_p


class Watched(object):
    """A thread that says which its state is, and then runs a function until it is told to stop."""

    def __init__(self, body):
        self.stop, self.known = False, threading.Event()
        self.problem = None
        self.thread = threading.Thread(target=self.run, args=(body,))
        self.thread.start()
        self.known.wait()

    def run(self, body):
        self.at = STATE(), threading.get_ident()
        RELEASED.stack_take(4)  # the interpreter is known from now on
        self.known.set()
        try:
            while not self.stop:
                body()
        except BaseException as problem:
            self.problem = problem

    def take(self, limit=64):
        text = RELEASED.stack_take_other(self.at[0], self.at[1], limit)
        return None if text == b"lost" else shown(parsed(text)[0])

    def end(self):
        self.stop = True
        self.thread.join()
        if self.problem:
            raise self.problem


@test
def waiting():
    """Of a thread that stands still: exactly what the interpreter says of it."""
    if not READ:
        return
    lock = threading.Lock()
    lock.acquire()
    watched = Watched(lambda: lock.acquire() and lock.release())
    try:
        frames = None
        while not frames or frames[0][0].split(".")[-1] != "<lambda>":  # it has come to the lock
            frames = told(sys._current_frames()[watched.at[1]])
        equal(watched.take(), clean(frames))
        text = RELEASED.stack_take_other(watched.at[0], watched.at[1], 2)
        equal((shown(parsed(text)[0]), parsed(text)[1]), (clean(frames)[:2], True), "cut")
        equal(RELEASED.stack_take_other(watched.at[0], watched.at[1] + 8, 64), b"lost", "of another thread")
        equal(RELEASED.stack_take_other(8, watched.at[1], 64), b"lost", "of no thread")
    finally:
        watched.stop = True
        lock.release()
        watched.end()


def chain(depth):
    """Functions that call one another, each from one line: level_0 to level_N."""
    scope = {}
    for i in range(depth):
        called = "level_%d()" % (i + 1) if i + 1 < depth else "sum(range(50))"
        exec(compile("def level_%d():\n  x = 1\n  %s\n  x = 2\n" % (i, called), "level_%d.py" % i, "exec"), scope)
    return scope["level_0"]


@test
def running():
    """Of a thread that calls and returns all the time: a part of the only chain that there is. The lines of the callers
    are those of the calls, but for a few that were read while the thread came to the same frames again."""
    if not READ:
        return
    watched = Watched(chain(12))
    taken, deepest, later = 0, 0, 0
    try:
        until = time.time() + 600
        while (taken < 2000 or deepest < 12) and time.time() < until:
            rows = watched.take()
            if rows is None:
                continue
            taken += 1
            levels = [row for row in rows if row[1].startswith("level_")]
            deepest = max(deepest, len(levels))
            for depth, row in enumerate(reversed(levels)):
                equal((row[0], row[1], row[2]), ("level_%d" % depth, "level_%d.py" % depth, 1), "frame")
                assert row[3] in (1, 2, 3, 4), (depth, row)
                later += depth < len(levels) - 1 and row[3] != 3
    finally:
        watched.end()
    assert taken >= 2000 and deepest == 12 and later <= taken // 500, (taken, deepest, later)


@test
def changing_code():
    """Of a thread whose code objects come and go: the names and lines of one of them, not of two."""
    if not READ:
        return
    number = [0]

    def body():
        number[0] += 1
        name, scope = "f%d" % (number[0] % 7), {}
        source = "\n" * (number[0] % 7) + "def %s():\n  sum(range(200))\n%s()\n" % (name, name)
        exec(compile(source, name + ".py", "exec"), scope)

    watched = Watched(body)
    taken = 0
    try:
        until = time.time() + 600
        while taken < 300 and time.time() < until:
            for row in watched.take() or []:
                if row[1][0] == "f" and row[1][1:-3].isdigit():
                    first = int(row[1][1:-3]) + 1
                    if row[0] != "<module>":
                        taken += 1
                        equal((row[0], row[2]), (row[1][:-3], first), "the code")
                        assert row[3] in (first, first + 1), row
    finally:
        watched.end()
    assert taken >= 300, taken


@test
def ending_threads():
    """Of threads that have ended, and whose state another one may have now."""
    if not READ:
        return
    ended = []
    for i in range(200):
        watched = Watched(chain(3))
        watched.stop = True
        for other in ended[-20:] + [watched]:
            other.take()
        watched.end()
        ended.append(watched)
    for watched in ended:
        watched.take()


@test
def generators():
    """Of a thread whose frames are those of generators and of calls back from C."""
    if not READ:
        return

    def numbers(n):
        for i in range(n):
            yield sum(j for j in range(i))

    watched = Watched(lambda: sorted(numbers(60), key=lambda n: -n))
    try:
        names = set()
        until = time.time() + 600
        while not {"numbers", "<genexpr>"} <= names and time.time() < until:
            names.update(row[0].split(".")[-1] for row in watched.take() or [])
    finally:
        watched.end()
    assert {"numbers", "<genexpr>"} <= names, names


@test
def several_interpreters():
    """None is read while there is more than one interpreter."""
    if not (3, 9) <= VERSION <= (3, 12):
        return
    import _xxsubinterpreters

    def take():
        return shown(parsed(RELEASED.stack_take_other(STATE(), threading.get_ident(), 64))[0])

    RELEASED.stack_take(4)
    equal(take()[0][0].split(".")[-1], "take", "with one interpreter")
    other = _xxsubinterpreters.create()
    equal(take(), [], "with two interpreters")
    _xxsubinterpreters.destroy(other)
    equal(take()[0][0].split(".")[-1], "take", "with one again")


ENDING = """
import ctypes, sys, threading
library = ctypes.CDLL(sys.argv[1])
library.stack_spy_for_ever.argtypes = [ctypes.c_uint64, ctypes.c_uint64]
library.stack_take(4)
state = ctypes.pythonapi.PyThreadState_Get
state.restype = ctypes.c_void_p
assert library.stack_spy_for_ever(state(), threading.get_ident()) == 0
class Late:
    def __del__(self, sum=sum, range=range):
        for _ in range(200):
            sum(range(1000))
late = [Late() for _ in range(20)]
for one in late:
    one.self = one
"""


@test
def the_end():
    """The interpreter ends while its frames are read."""
    if not READ:
        return
    for _ in range(10):
        process = subprocess.Popen([sys.executable, "-c", ENDING, PATH], stderr=subprocess.PIPE)
        error = process.communicate()[1]
        equal((process.returncode, error), (0, b""), "the end")


if __name__ == "__main__":
    main(READ)
