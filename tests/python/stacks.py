# -*- coding: utf-8 -*-
"""What the tests of stacks share: stacks that libxferspy's walk takes of this interpreter, against what the interpreter
says itself. For CPython 2.7 to 3.14: what older ones cannot parse is compiled from strings. Each file of tests is run
as `test_SUBJECT.py LIBRARY [NAME]`; status 1: something is wrong."""
from __future__ import print_function

import ctypes
import sys
import traceback

VERSION = sys.version_info[:2]
READ = (3, 9) <= VERSION <= (3, 14) and "free-threading" not in sys.version
PATH = sys.argv[1]
HELD, RELEASED = ctypes.PyDLL(PATH), ctypes.CDLL(PATH)  # with the GIL, and without
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
for library in HELD, RELEASED:
    library.stack_take.restype = library.stack_notes.restype = library.stack_at_capsule.restype = ctypes.c_char_p
    library.stack_ns.restype = ctypes.c_double
    library.stack_take_other.restype = ctypes.c_char_p
    library.stack_take_other.argtypes = [ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint]
    library.stack_spy_for_ever.argtypes = [ctypes.c_uint64, ctypes.c_uint64]
    library.stack_call_back.argtypes = [CALLBACK, ctypes.c_int]

TESTS = []


def test(function):
    TESTS.append(function)
    return function


def told(frame):
    """What the interpreter says of a frame and those around it."""
    frames = []
    while frame:
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        frames.append((name, code.co_filename, code.co_firstlineno, frame.f_lineno))
        frame = frame.f_back
    return frames


def parsed(text):
    """What the walk says, without calls of the interpreter that have nothing to show; and whether it is cut."""
    lines = text.decode("utf-8").split("\n")[:-1]
    cut = bool(lines) and lines[-1] == "cut"
    rows = [line.split("\t") for line in lines[:-1 if cut else None]]
    rows = [(name, path, int(first), int(line), entry == "1") for name, path, first, line, entry in rows]
    return rows, cut


def shown(rows):
    return [row[:4] for row in rows if row[0] != "-"]


def clean(frames):
    """As the walk copies texts."""
    def text(t):
        return u"".join(u"\ufffd" if c == u"\0" or 0xd800 <= ord(c) < 0xe000 else c for c in t)
    return [(text(name), text(path), first, line or 0) for name, path, first, line in frames]


def equal(got, want, what="stack"):
    if got != want:
        if isinstance(want, list):
            for g, w in zip(got, want):
                if g != w:
                    print("  got ", g, "\n  want", w)
            got, want = len(got), len(want)
        raise AssertionError("%s: %s, not %s" % (what, got, want))


def check(limit=900):
    """The caller's stack, taken with and without the GIL; returns the rows."""
    for library in HELD, RELEASED:
        taken, frames = library.stack_take(limit), told(sys._getframe())
        rows, cut = parsed(taken)
        if not READ:
            equal(rows, [], "a version that is not read")
            continue
        equal(shown(rows), clean(frames))
        assert not cut
        assert rows[-1][4], "the outermost frame is an entry"
        if VERSION < (3, 11):
            assert all(row[4] for row in rows)
        calls, rows = RELEASED.stack_interpreter_calls(), parsed(RELEASED.stack_take(limit))[0]
        equal(sum(row[4] for row in rows), calls, "C calls of the interpreter")
    return rows


def modern(source, path="modern.py", **names):
    """Runs source that old versions cannot parse."""
    scope = dict(globals(), **names)
    exec(compile(source, path, "exec"), scope)
    return scope


def main(takes_stacks=True):
    failed = 0
    wanted = [function for function in TESTS if len(sys.argv) <= 2 or function.__name__ in sys.argv[2:]]
    if not wanted:
        return
    for function in wanted:
        print(function.__name__)
        sys.stdout.flush()
        try:
            function()
        except Exception:
            traceback.print_exc(file=sys.stdout)
            failed += 1
    notes = RELEASED.stack_notes().decode()
    print("%s: %d of %d failed; notes: %s" % (sys.version.split()[0], failed, len(wanted), notes or "none"))
    if bool(notes) != (takes_stacks and not READ):
        failed += 1
        print("a version that is not read is to be noted, and no other")
    sys.exit(1 if failed else 0)
