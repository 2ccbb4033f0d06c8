"""Stacks while the process does other things: threads, signals, forks, interpreters, its end; and what one costs."""
import functools
import os
import subprocess
import sys
import threading

from stacks import PATH, READ, RELEASED, VERSION, check, clean, equal, main, parsed, shown, test, told


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


if __name__ == "__main__":
    main()
