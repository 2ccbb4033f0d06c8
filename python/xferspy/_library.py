"""The calls of libxferspy.so, which are declared in xferspy.h. The library is in this process only if it was preloaded;
it is never loaded here, because it would then come too late to see any call."""
import contextlib
import ctypes
import os
import threading


class Counts(ctypes.Structure):
    """What the process has copied so far, as struct xferspy_counts of xferspy.h."""

    _fields_ = [(name, ctypes.c_uint64) for name in ("h2d", "h2d_bytes", "d2h", "d2h_bytes", "other", "other_bytes",
                                                     "waits", "not_counted")]

    def __sub__(self, before):
        return Counts(*(getattr(self, name) - getattr(before, name) for name, _ in self._fields_))

    def __repr__(self):
        return "Counts(%s)" % ", ".join("%s=%d" % (name, getattr(self, name)) for name, _ in self._fields_)


def _function(name, result, *arguments):
    """A function of the library; None if the library is not preloaded."""
    try:
        function = getattr(ctypes.CDLL(None), name)
    except AttributeError:
        return None
    function.restype, function.argtypes = result, arguments
    return function


_range_start = _function("xferspy_range_start", ctypes.c_uint64, ctypes.c_char_p)
_range_end = _function("xferspy_range_end", None, ctypes.c_uint64)
_count = _function("xferspy_count", ctypes.c_int, ctypes.POINTER(Counts), ctypes.c_size_t)
_snapshot = _function("xferspy_snapshot", ctypes.c_int)
_trace = _function("xferspy_trace", ctypes.c_char_p)


def _start(name):
    # A name cannot hold NUL: C would see only what is before it.
    return _range_start(name.replace("\0", " ").encode("utf-8", "replace")) if _range_start else 0


def _end(number):
    if number:
        _range_end(number)


class region(contextlib.ContextDecorator):
    """`with region("load"):` or `@region("load")`: what this thread copies there belongs to the range `load`, as to a
    range of NVTX. Regions can be inside each other."""

    def __init__(self, name):
        self.name = name
        self._open = []  # the same object may be entered again before it is left

    def _recreate_cm(self):
        return region(self.name)

    def __enter__(self):
        self._open.append(_start(self.name))
        return self

    def __exit__(self, *_):
        _end(self._open.pop())


_thread = threading.local()


def step(name="step"):
    """Ends this thread's step, if it is in one, and begins the next. To be called at the start of each iteration."""
    _end(getattr(_thread, "step", 0))
    _thread.step = _start(name)


def steps(iterable, name="step"):
    """`for batch in steps(loader):` makes each iteration a step. To fetch the next item is part of no step."""
    for item in iterable:
        number = _start(name)
        try:
            yield item
        finally:
            _end(number)


def counts():
    """What all threads of the process have copied, and how often they waited; None if nothing is recorded."""
    numbers = Counts()
    return numbers if _count and _count(ctypes.byref(numbers), ctypes.sizeof(numbers)) else None


def is_recorded():
    """True if the library records this process now. It begins to when CUDA is used for the first time."""
    return counts() is not None


def snapshot():
    """Makes the trace complete up to now, so that it can be read while the program goes on. True after success."""
    return bool(_snapshot and _snapshot())


def trace():
    """The path of the trace; None if there is none (yet)."""
    path = _trace() if _trace else None
    return os.fsdecode(path) if path else None
