"""The plugin of pytest: `pytest --xferspy`, and the mark `max_transfers`.

Each test is a region of the trace, so what it copied and what was wasted can be told for each test alone."""
import linecache
import os
import sys

import pytest

from . import _guard, _library, _program

MARK = "max_transfers(h2d=None, d2h=None, waits=None): the test fails if it copies or waits more; an int limits the " \
       "number of calls, a text such as \"1MiB\" the bytes. Without --xferspy it has no effect."
OUTPUT = "xferspy-pytest.%p.db"


def pytest_addoption(parser):
    group = parser.getgroup("xferspy", "copies between CPU and GPU")
    group.addoption("--xferspy", action="store_true", help="record the tests' copies; tell what each test wastes")
    group.addoption("--xferspy-findings", choices=("all", "failed"), default="all",
                    help="look for the findings of all tests (default), or only of tests that fail; each look reads "
                         "the whole trace")
    group.addoption("--xferspy-output", metavar="TRACE", default=OUTPUT, help="the trace; default " + OUTPUT)


def pytest_configure(config):
    config.addinivalue_line("markers", MARK)
    if config.getoption("xferspy"):
        config.pluginmanager.register(Recorded(config), "xferspy-recorded")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """The library has to be there when a process starts, so pytest starts again, under `xferspy run`."""
    if not config.getoption("xferspy") or _library._range_start:
        return
    words = getattr(sys, "orig_argv", [sys.executable, "-m", "pytest", *sys.argv[1:]])
    if tuple(words[len(words) - len(config.invocation_params.args):]) != tuple(config.invocation_params.args):
        raise pytest.UsageError("--xferspy: the library is not preloaded, and pytest was not started from a command "
                                "line; start the program by `xferspy run`")
    try:
        program = _program.program()
    except _program.ProgramError as error:
        raise pytest.UsageError("--xferspy: %s" % error)
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture:  # it holds the terminal's descriptors
        capture.stop_global_capturing()
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(program, ["xferspy", "run", "--quiet", "--fingerprint=all",
                       "--output=" + config.getoption("xferspy_output"), "--", *words])


def range_name(nodeid):
    """Names of ranges are cut after 255 bytes. The brackets say where the name ends, so that no test's name is a
    part of another one's."""
    return "<%s>" % nodeid.encode("utf-8", "replace")[-240:].decode("utf-8", "ignore")


def findings_text(entry):
    """The causes of waste, in a few lines."""
    lines = []
    for finding in entry["findings"]:
        lines.append("%s: %s" % (finding["name"], finding["title"]))
        lines.append("  " + _guard.place_text(finding))
        site = finding["call_site"]
        if site and site["python"] and site["line"]:  # the trace gets the lines' texts only at its end
            lines.append("    " + linecache.getline(site["file"], site["line"]).strip())
        if finding["remedy"]:
            lines.append("  " + finding["remedy"])
    return "\n".join(lines)


def pytest_collection_modifyitems(items):
    """A mark that says nothing, or not what can be understood, is a mistake even while nothing is recorded."""
    for item in items:
        for mark in item.iter_markers("max_transfers"):
            try:
                if mark.args or not _guard.limits_of(**mark.kwargs):
                    raise ValueError("it needs h2d=, d2h= or waits=")
            except (KeyError, ValueError) as error:
                raise pytest.UsageError("%s: max_transfers: %s" % (item.nodeid, error))


USED = "_xferspy_used"  # an attribute of a test that has run


class Recorded:
    """The part of the plugin that works under --xferspy."""

    def __init__(self, config):
        self.looks_at_all = config.getoption("xferspy_findings") == "all"
        self.copying = 0    # how many tests copied something
        self.wasteful = {}  # names of the findings of each test
        self.errors = []

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item):
        watch = _guard.Watch()
        with _library.region(range_name(item.nodeid)):
            yield
        setattr(item, USED, (watch, watch.used()))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        watch, used = getattr(item, USED, (None, None))
        broken = []
        if call.when == "call" and used:
            for name in ("h2d", "h2d_bytes", "d2h", "d2h_bytes", "other", "waits"):
                item.user_properties.append(("xferspy_" + name, getattr(used, name)))
            broken = list(filter(None, (limit.broken_by(used) for limit in limits_of_test(item))))
            if used.h2d + used.d2h + used.other and (self.looks_at_all or broken or call.excinfo):
                self._find(item)
        report = (yield).get_result()
        if broken and report.passed:
            report.outcome = "failed"
            report.longrepr = "the test made %s%s" % (", and ".join(broken), _guard.places_text(watch))

    def _find(self, item):
        try:
            entry = _program.report("--nvtx=" + range_name(item.nodeid))
        except _program.ProgramError as error:
            self.errors.append(str(error))
            return
        if entry and entry["findings"]:
            names = " ".join(finding["name"] for finding in entry["findings"])
            item.user_properties.append(("xferspy_findings", names))
            item.add_report_section("call", "xferspy", findings_text(entry))

    def pytest_runtest_logreport(self, report):
        properties = dict(report.user_properties) if report.when == "call" else {}
        self.copying += any(properties.get("xferspy_" + name) for name in ("h2d", "d2h", "other"))
        if "xferspy_findings" in properties:
            self.wasteful[report.nodeid] = properties["xferspy_findings"]

    def pytest_terminal_summary(self, terminalreporter):
        path = _library.trace()
        terminalreporter.section("xferspy")
        terminalreporter.write_line("%d test%s copied between CPU and GPU, %d of them wastefully." %
                                    (self.copying, "" if self.copying == 1 else "s", len(self.wasteful)))
        for nodeid, names in self.wasteful.items():
            terminalreporter.write_line("  %s: %s" % (nodeid, names))
        for text in dict.fromkeys(self.errors):
            terminalreporter.write_line("  the findings are not known: " + text)
        if path:
            path = _guard.short(path)
            terminalreporter.write_line("`xferspy report %s` says more." % path)


def limits_of_test(item):
    for mark in item.iter_markers("max_transfers"):
        yield from _guard.limits_of(**mark.kwargs)
