# -*- coding: utf-8 -*-
"""Stacks that libxferspy's walk takes of this interpreter, against what the interpreter says itself. For CPython 2.7
to 3.14: what older ones cannot parse is compiled from strings. `test_stacks.py LIBRARY [NAME]`; status 1: something is
wrong."""
from __future__ import print_function

import ctypes
import functools
import os
import subprocess
import sys
import threading
import weakref

VERSION = sys.version_info[:2]
READ = (3, 9) <= VERSION <= (3, 14) and "free-threading" not in sys.version
PATH = sys.argv[1]
HELD, RELEASED = ctypes.PyDLL(PATH), ctypes.CDLL(PATH)  # with the GIL, and without
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
for library in HELD, RELEASED:
    library.stack_take.restype = library.stack_notes.restype = library.stack_at_capsule.restype = ctypes.c_char_p
    library.stack_ns.restype = ctypes.c_double
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


@test
def functions():
    def inner(a, b=2, *rest, **more):
        return check()

    def outer():
        return inner(1, 3, 4, x=5)
    rows = outer()
    if READ and VERSION >= (3, 11):
        equal([row[0].split(".")[-1] for row in rows[:4]], ["check", "inner", "outer", "functions"])
        equal([row[4] for row in rows[:4]], [False] * 4, "entries of calls within the interpreter")


@test
def lambdas_and_comprehensions():
    (lambda: check())()
    [check() for _ in range(2)]
    {check() and None or 1 for _ in range(2)}
    {i: check() for i in range(2)}
    list(check() for _ in range(2))
    (lambda f: [[f() for _ in range(1)] for _ in range(1)])(lambda: (lambda: check())())


@test
def lines():
    def nothing(*arguments):
        return arguments
    nothing(
        1,
        check(),
        nothing(2,
                check()),
    )
    x = (nothing()
         or check()
         or check())
    if (
            check() is x
            and check()):
        pass
    for i in range(300):
        nothing(i); check() if i % 100 == 0 else None
    try:
        raise ValueError
    except ValueError:
        check()
    finally:
        check()
    with open(os.devnull):
        check()


@test
def long_functions():
    body = "".join("    x = [i for i in range(%d)]\n" % i for i in range(3)) + "\n" * 400
    source = ("def f():\n" + body + "    x = (1,\n" + "\n" * 200 + "      check())\n" + "    y = 1\n" * 700
              + "    check()\n")
    modern(source, "long.py")["f"]()
    source = ("def g():\n" + "".join("    if %d:\n        a = %d\n" % (i, i) for i in range(700))
              + "    return check()\n")
    modern(source, "wide.py")["g"]()
    modern("\n" * 100000 + "def far(): return check()\nfar()\n", "far.py")
    modern("def f(): " + "a = 1; " * 5000 + "check()\nf()\n", "one_line.py")


@test
def methods():
    class Outer(object):
        class Inner(object):
            def __init__(self):
                check()

            def __enter__(self):
                check()
                return self

            def __exit__(self, *what):
                check()

            def __getattr__(self, name):
                return check()

            def __add__(self, other):
                return check()

            def __call__(self):
                check()

        @property
        def value(self):
            return check()

        @classmethod
        def of_class(cls):
            check()

        @staticmethod
        def of_none():
            check()

    class Derived(Outer.Inner):
        check()

        def __init__(self):
            super(Derived, self).__init__()
    for _ in range(50):  # so often that the interpreter specialises them
        with Outer.Inner() as o:
            o.any, o + 1, o()
        Outer().value, Outer.of_class(), Outer.of_none(), Derived()


@test
def decorators():
    def decorate(f):
        @functools.wraps(f)
        def wrapper(*a, **k):
            return f(*a, **k)
        return wrapper

    @decorate
    @decorate
    def decorated():
        return check()
    decorated()


@test
def generators():
    def generator():
        for i in range(100):
            check() if i % 30 == 0 else None
            yield check() if i % 31 == 0 else i

    def closing():
        try:
            yield 1
        finally:
            check()
    for _ in generator():
        pass
    list(generator())
    sum(1 for _ in generator())
    g = closing()
    next(g)
    g.close()
    for _ in closing():
        check()
    if VERSION >= (3, 3):
        modern("def g(f):\n  yield from f\n  check()\nlist(g(f()))\nfor x in g(g(f())): pass\n", f=generator)


@test
def coroutines():
    if VERSION < (3, 7):
        return
    modern("""
import asyncio, contextlib
class Await:
    def __await__(self):
        check()
        yield from asyncio.sleep(0).__await__()
        check()
async def leaf(n):
    check()
    await asyncio.sleep(0)
    check()
    await Await()
    return n
async def middle(n):
    return await leaf(n) + await leaf(n)
async def numbers():
    for i in range(3):
        check()
        yield await middle(i)
@contextlib.asynccontextmanager
async def manager():
    check()
    yield 1
    check()
async def main():
    async with manager():
        async for n in numbers():
            check()
    [n async for n in numbers() if check() is not None]
    await asyncio.gather(*(middle(i) for i in range(5)))
    await asyncio.get_running_loop().run_in_executor(None, check)
asyncio.run(main())
""")


@test
def pattern_matching():
    if VERSION >= (3, 10):
        modern("def f(x):\n match x:\n  case [a, b]:\n   check()\n  case {'k': v} if check():\n   check()\nf([1,2]);f({'k':1})\n")


@test
def texts():
    source = u"def f(): return check()\nf()\n"
    for path in u"<string>", u"", u"a b\tc"[:3], u"/x/" + u"d/" * 200 + u"m.py":
        modern(source, path)
    if VERSION < (3, 0):
        return
    for path in (u"caf\xe9.py", u"\u65e5\u672c.py", u"\U0001f40d.py", u"/\xe9\u65e5\U0001f40d/m.py",
                 u"bad\udc80\udcff.py"):
        modern(source, path)
    modern(u"def caf\xe9(): return check()\ncaf\xe9()\ndef \u65e5\u672c(): return caf\xe9()\n\u65e5\u672c()\n"
           u"class \U00020000:\n  def \xb5(self): check()\n\U00020000().\xb5()\n")
    if VERSION < (3, 8) or not READ:
        return

    class Text(str):
        pass
    for name in u"\0", u"a\0b", u"\ud800", u"\x01\x7f\x80\u07ff\u0800\uffff\U00010000\U0010ffff":
        def named():
            return check()
        change = dict(co_name=name, co_filename=name)
        if VERSION >= (3, 11):
            change["co_qualname"] = name
        named.__code__ = named.__code__.replace(**change)
        named()
    named.__code__ = named.__code__.replace(co_filename=Text(u"derived\xe9.py"))
    named()
    for text, bytes in (u"x", 1024), (u"\xe9", 1024), (u"\u65e5", 1023), (u"\U0001f40d", 1024):
        def long_name():
            return parsed(RELEASED.stack_take(1))[0][0][1]
        long_name.__code__ = long_name.__code__.replace(co_filename=text * 5000)
        equal(len(long_name().encode("utf-8")), bytes, "bytes of a long name")


@test
def c_calls_python():
    def by_c(*_):
        rows = check()
        if READ:
            assert [row[4] for row in rows[:2]] == [VERSION < (3, 11), True], rows[:3]
        return 0
    sorted([1], key=by_c)
    functools.reduce(by_c, [1, 2, 3])
    list(map(by_c, [1, 2]))
    functools.partial(functools.partial(by_c, 1), 2)() if VERSION < (3, 0) else None
    problems = []

    def kept(function):  # what a callback raises is lost otherwise
        def call(n):
            try:
                function(n)
            except BaseException as problem:
                problems.append(problem)
            return 0
        return CALLBACK(call)
    for library in HELD, RELEASED:
        library.stack_call_back(kept(lambda n: list(map(by_c, [n]))), 1)
        library.stack_call_back(kept(lambda n: [check() for i in sorted([n], key=by_c)]), 1)
        library.stack_call_back(kept(lambda n: library.stack_call_back(kept(lambda n: check()), n)), 1)
    if problems:
        raise problems[0]
    eval("check()")
    exec("check()", globals())


@test
def frames_that_go():
    """A local's destructor runs while its frame goes; a C call that has nothing to show is still told."""
    if VERSION < (3, 0):
        return
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    gone = ctypes.cast(HELD.stack_capsule_gone, ctypes.c_void_p)

    def by_c(_):
        capsule = new(1, None, gone)
        return capsule is None

    def called():
        return by_c(1)
    for call in (lambda: sorted([1], key=by_c)), called, (lambda: list(map(by_c, [1, 2]))):
        for _ in range(20):
            call()
            head, text = HELD.stack_at_capsule().split(b"\n", 1)
            rows, cut = parsed(text)
            if READ:
                here = told(sys._getframe())
                equal(shown(rows)[-len(here) + 1:], clean(here)[1:])
                equal(sum(row[4] for row in rows), int(head.split(b"\t")[1]), "C calls of the interpreter")

    class Node(object):
        def __del__(self):
            check()

    def with_node():
        node = Node()
        node.self = Node()
        weakref.finalize(node, check)
    for _ in range(20):
        with_node()
        sorted([1], key=lambda _: with_node() or 0)


@test
def limits():
    def deep(n, limit):
        if n:
            return deep(n - 1, limit)
        return RELEASED.stack_take(limit), told(sys._getframe())
    before = len(told(sys._getframe()))
    for limit in 0, 1, 2, 63, 64, 500, 501 + before - 1, 501 + before, 1000:
        text, frames = deep(500, limit)
        rows, cut = parsed(text)
        if READ:
            equal(shown(rows), clean(frames)[:limit], "limit %d" % limit)
            assert cut == (limit < len(frames)), (limit, cut, len(frames))


@test
def threads():
    problems = []

    def run(n):
        try:
            for _ in range(50):
                (lambda: check())() if n % 2 else check()
        except BaseException as problem:
            problems.append(problem)
    workers = [threading.Thread(target=run, args=(i,)) for i in range(8)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    if problems:
        raise problems[0]


def churn(stop):
    """Code objects that come and go, at the same addresses, with the same names and lines but different tables."""
    call = "  return taken(), told(sys._getframe())\n"
    source = ["def f():\n" + "\n" * i + call for i in range(5)]
    source += ["def f():\n" + "  x = 1\n" * 40 + "\n" * i + "  x = 1\n" * 40 + call for i in range(5)]
    taken, n = functools.partial(RELEASED.stack_take, 64), 0
    while not stop.is_set():
        scope = dict(taken=taken, told=told, sys=sys)
        exec(compile(source[n // 3 % 10], "churn%d.py" % (n % 2), "exec"), scope)
        text, frames = scope["f"]()
        if READ:
            equal(shown(parsed(text)[0]), clean(frames), "churn %d" % n)
        del scope
        n += 1


@test
def others_change():
    stop, problems = threading.Event(), []

    def run():
        try:
            churn(stop)
        except BaseException as problem:
            problems.append(problem)
    workers = [threading.Thread(target=run) for _ in range(2)]
    for w in workers:
        w.start()

    def deep(n):
        return deep(n - 1) if n else RELEASED.stack_hammer(1000000)
    wrong = deep(12)
    stop.set()
    for w in workers:
        w.join()
    if problems:
        raise problems[0]
    equal(wrong, 0 if READ else wrong, "walks that differ")
    equal(RELEASED.stack_defined_twice(), 0, "definitions of the same number")


@test
def refused_definitions():
    """What could not be told is told the next time."""
    def unknown():
        return parsed(RELEASED.stack_take(1))[0]
    if READ:
        RELEASED.stack_refuse_definitions(1)
        equal(unknown()[0][0], "-")
        RELEASED.stack_refuse_definitions(0)
        equal(unknown()[0][0].split(".")[-1], "unknown")


@test
def signals():
    """Wherever a handler interrupts the interpreter, it takes something or nothing."""
    def work(n):
        def generator():
            for i in range(20):
                yield [i for i in range(3)]

        class C(object):
            def __init__(self, a):
                self.a = sorted([a, 1], key=lambda x: -x)
        for _ in range(n):
            scope = {}
            exec(compile("def f(a, b=1): return [a for _ in range(b)]", "signals.py", "exec"), scope)
            for x in generator():
                scope["f"](x, 3), C(1)
            try:
                scope["f"]()
            except TypeError:
                pass
    work(1), check()
    before = RELEASED.stack_signals(100)
    workers = [threading.Thread(target=work, args=(4000,)) for _ in range(2)]
    for w in workers:
        w.start()
    work(4000)
    for w in workers:
        w.join()
    frames = RELEASED.stack_signals(0) - before
    assert (frames > 0) == READ, frames
    check()


@test
def tracing():
    for _ in range(2):
        sys.settrace(lambda *_: None)
        (lambda: check())()
        sys.settrace(None)
    lines_seen = []

    def tracer(frame, what, _):
        lines_seen.append(frame.f_lineno)
        check()
        return tracer

    def traced():
        a = 1
        return a
    sys.settrace(tracer)
    traced()
    sys.settrace(None)
    sys.setprofile(lambda *_: None)
    (lambda: check())()
    sys.setprofile(None)


@test
def forks():
    if not READ:
        return
    child = os.fork()
    if child == 0:
        status = 1
        try:
            RELEASED.stack_forget()
            (lambda: check())()
            status = 0
        finally:
            os._exit(status)
    equal(os.waitpid(child, 0)[1], 0, "status of the child")


@test
def interpreters():
    try:
        try:
            import _interpreters as module
            new = module.create("legacy")
        except ImportError:
            import _xxsubinterpreters as module
            new = module.create(isolated=False) if VERSION >= (3, 10) else module.create()
    except ImportError:
        return
    source = "import ctypes\nfor l in ctypes.CDLL, ctypes.PyDLL:\n  t = l(%r).stack_take\n  t.restype = ctypes.c_char_p\n" \
             "  def f(): return t(64)\n  r = f()\n  open(%r, 'wb').write(r)\n"
    path = "/tmp/xferspy-test-python-%d" % os.getpid()
    try:
        module.run_string(new, source % (PATH, path))
        rows = parsed(open(path, "rb").read())[0]
        if VERSION >= (3, 12) and READ:  # before, the thread's state that can be known is the main interpreter's
            equal([row[0] for row in rows[:2]], ["f", "<module>"])
        if READ:
            assert any(row[0] == "interpreters" for row in rows) or VERSION >= (3, 12), rows
    finally:
        if os.path.exists(path):
            os.unlink(path)
        module.destroy(new)
    check()


def script(source):
    """A process of its own: what is wrong at its end would be a signal."""
    head = "import ctypes, sys, threading, atexit, time\nsys.argv = ['', %r]\nL, P = ctypes.CDLL(%r), ctypes.PyDLL(%r)\n" \
           "L.stack_take.restype = P.stack_take.restype = ctypes.c_char_p\n" % (PATH, PATH, PATH)
    process = subprocess.Popen([sys.executable, "-B", "-c", head + source], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    out, problems = process.communicate()
    assert process.returncode == 0, (process.returncode, source, out, problems)
    return out.decode("utf-8")


@test
def endings():
    out = script("def bye(): sys.stdout.write(L.stack_take(64).decode())\natexit.register(bye)\n")
    assert not READ or out.startswith("bye\t<string>\t"), out
    script("L.stack_at_exit()\nL.stack_take(9)\n")
    script("""
class C(object):
    def __init__(self): self.take = P.stack_take
    def __del__(self):
        for i in range(10): self.take(64)
c = C(); c.self = c; sys.c = c; C().c = c; m = type(sys)('m'); m.c = C(); sys.modules['m'] = m
""")
    daemon = """
def f(n): return f(n - 1) if n else L.stack_hammer(2000000000)
def g():
    while True: %s
for i in range(4):
    t = threading.Thread(target=%s); t.daemon = True; t.start()
L.stack_at_exit()
time.sleep(%s)
"""
    for wait in 0, 0.05:
        script(daemon % ("pass", "lambda: f(9)", wait))
        script(daemon % ("L.stack_take(64); P.stack_take(64)", "g", wait))


@test
def cost():
    def deep(n):
        if n:
            return deep(n - 1)
        return RELEASED.stack_ns(200000, 0), RELEASED.stack_ns(200000, 1), len(told(sys._getframe()))
    for more in 0, 1:
        _, _, frames = deep(0)
        best = min((deep(20 - frames) for _ in range(3)), key=lambda r: r[0])
    if READ:
        print("  %d frames: %.0f ns a walk, %.0f ns with the numbers of the frames" % (best[2], best[0], best[1]))


def main():
    failed = 0
    for function in TESTS:
        if len(sys.argv) > 2 and function.__name__ not in sys.argv[2:]:
            continue
        print(function.__name__)
        sys.stdout.flush()
        try:
            function()
        except Exception:
            import traceback
            traceback.print_exc(file=sys.stdout)
            failed += 1
    notes = RELEASED.stack_notes().decode()
    print("%s: %d of %d failed; notes: %s" % (sys.version.split()[0], failed, len(TESTS), notes or "none"))
    if READ == bool(notes):
        failed += 1
        print("a version that is not read is to be noted, and no other")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
