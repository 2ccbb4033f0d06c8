# -*- coding: utf-8 -*-
"""Stacks of every kind of code: functions, generators, coroutines, names, calls from C."""
import ctypes
import functools
import os
import sys
import weakref

from stacks import CALLBACK, HELD, READ, RELEASED, VERSION, check, clean, equal, main, modern, parsed, shown, test, told


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


if __name__ == "__main__":
    main()
