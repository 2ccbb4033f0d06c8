"""Limits for what a function copies."""
import contextlib
import functools
import inspect
import os
import re
import time
import warnings

from . import _library, _program

UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
         "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
KINDS = {"h2d": ("copy from host to device", "copies from host to device"),
         "d2h": ("copy from device to host", "copies from device to host"),
         "waits": ("wait for the device", "waits for the device")}


class GuardError(AssertionError):
    """A part of the program copied more than it may."""


class GuardWarning(UserWarning):
    """The same, where the guard only warns; or the guard cannot tell."""


def bytes_text(number):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if number < 1024 or unit == "GiB":
            return "%d B" % number if unit == "B" else "%.3g %s" % (number, unit)
        number /= 1024


class Limit:
    """An int is a number of calls; a text such as "64 KiB" is a number of bytes."""

    def __init__(self, kind, value):
        if kind not in KINDS:
            raise ValueError("no limit is called %s: use h2d, d2h or waits" % kind)
        self.kind, self.text = kind, str(value)
        self.is_bytes = isinstance(value, str)
        if self.is_bytes:
            found = re.fullmatch(r"(\d+(?:\.\d+)?) ?(%s)" % "|".join(UNITS), value.strip())
            if not found or kind == "waits":
                raise ValueError("%s=%r is no limit: use a number of calls%s" %
                                 (kind, value, "" if kind == "waits" else ", or bytes such as \"64KiB\""))
            self.most = int(float(found[1]) * UNITS[found[2]])
        elif isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            self.most = value
        else:
            raise ValueError("%s=%r is no limit: it has to be a number of calls or a text" % (kind, value))

    def broken_by(self, used):
        """What is wrong, in words; None if the limit holds."""
        calls = getattr(used, self.kind)
        moved = getattr(used, self.kind + "_bytes", 0)
        if (moved if self.is_bytes else calls) <= self.most:
            return None
        made = "%d %s" % (calls, KINDS[self.kind][calls != 1])
        if moved:
            made += " with %s" % bytes_text(moved)
        return "%s; the limit is %s" % (made, self.text)


def limits_of(**values):
    return [Limit(kind, value) for kind, value in values.items() if value is not None]


class Watch:
    """Looks at what the process does from here on."""

    def __init__(self):
        self.before = _library.counts() or _library.Counts()
        self.begun_ns = time.time_ns()

    def used(self):
        """None: nothing is recorded."""
        now = _library.counts()
        return now - self.before if now else None

    def places(self):
        """The lines that copied since then, as rows of the report, most bytes first."""
        path = _library.trace()
        if not path or not _library.snapshot():
            return []
        rows = _program.run("query", "--format=tsv", path, "SELECT value FROM meta WHERE key = 'start_unix_ns'")
        since = max(self.begun_ns - int(rows.split()[-1]), 0)
        return [row for row in _program.report("--by=site", "--since=%dns" % since)["by"]["rows"] if row["transfers"]]


def short(path):
    """A path in the working folder, as seen from there."""
    inside = os.path.isabs(path) and not os.path.relpath(path).startswith(os.pardir)
    return os.path.relpath(path) if inside else path


def place_text(row):
    site = row["call_site"] or {}
    where = short(site.get("file") or row["site"])
    where += ":%d" % site["line"] if site.get("line") else ""
    where += " in %s" % site["function"] if site.get("function") else ""
    return "%d of %s at %s (%s)" % (row["transfers"], bytes_text(row["bytes"]), where, row["site"])


def places_text(watch, most=5):
    """A line for each place; nothing if the command is not there, because a guard needs none for its numbers."""
    try:
        return "".join("\n  " + place_text(row) for row in watch.places()[:most])
    except _program.ProgramError as error:
        return "\n  the places are not known: %s" % error


class guard(contextlib.ContextDecorator):
    """`@guard(h2d=0, d2h="64B", waits=2)` or `with guard(...)`: raises GuardError if all threads of the process
    together copied or waited more meanwhile. An int limits the number of calls, a text the bytes. `action="warn"`
    warns instead. Without the library it does nothing."""

    def __init__(self, *, h2d=None, d2h=None, waits=None, action="raise"):
        if action not in ("raise", "warn"):
            raise ValueError("action=%r: use \"raise\" or \"warn\"" % (action,))
        self.limits = limits_of(h2d=h2d, d2h=d2h, waits=waits)
        if not self.limits:
            raise ValueError("a guard needs a limit: h2d, d2h or waits")
        self.action, self.name = action, "this block"
        self._open = []

    def _recreate_cm(self):
        other = guard.__new__(guard)
        other.limits, other.action, other.name, other._open = self.limits, self.action, self.name, []
        return other

    def __call__(self, function):
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError("a generator cannot be guarded: other code runs between its parts; use `with guard(...)`")
        self.name = getattr(function, "__qualname__", "this function")
        if not inspect.iscoroutinefunction(function):
            return super().__call__(function)

        @functools.wraps(function)
        async def guarded(*arguments, **named):
            with self._recreate_cm():
                return await function(*arguments, **named)
        return guarded

    def __enter__(self):
        self._open.append(Watch())
        return self

    def __exit__(self, kind, error, traceback):
        watch = self._open.pop()
        used = watch.used()
        if kind is not None or not used:
            return
        broken = [text for text in (limit.broken_by(used) for limit in self.limits) if text]
        if broken:
            self._tell("%s made %s" % (self.name, ", and ".join(broken)) + places_text(watch))
        elif used.not_counted:
            warnings.warn("xferspy did not look at %d calls in %s, so the guard cannot tell" %
                          (used.not_counted, self.name), GuardWarning, stacklevel=3)

    def _tell(self, text):
        if self.action == "raise":
            raise GuardError(text)
        warnings.warn(text, GuardWarning, stacklevel=4)
