"""Everything that the package xferspy has, in one program. `bare` as the argument: the library is not preloaded."""
import asyncio
import sys
import threading
import warnings

import driver
import xferspy

is_bare = sys.argv[1:] == ["bare"]


def raised(kind, call):
    try:
        call()
    except kind as error:
        return str(error)
    return None


def before_cuda():
    assert xferspy.counts() is None and not xferspy.is_recorded()
    assert xferspy.trace() is None and xferspy.snapshot() is False and xferspy.report() is None


def regions():
    with xferspy.region("outer"):
        driver.upload(1000)
        with xferspy.region("inner \0 zählen"):
            driver.upload(2000)

    @xferspy.region("function")
    def function(depth):
        driver.upload(3000 + depth)
        if depth:
            function(depth - 1)
        return "result"

    assert function(1) == "result"
    assert raised(KeyError, lambda: xferspy.region("left by an error")(lambda: {}[1])())
    driver.upload(4000)


def steps():
    for i in range(20):
        xferspy.step()
        driver.upload(5000)
        driver.wait()
    for size in xferspy.steps([6000, 6001], name="batch"):
        driver.upload(size)
    driver.upload(6002)


def counts():
    before = xferspy.counts()
    driver.upload(100)
    driver.download(50)
    thread = threading.Thread(target=lambda: (driver.use(), driver.download(25)))
    thread.start()
    thread.join()
    driver.wait()
    if is_bare:
        assert before is None and xferspy.counts() is None
        return
    used = xferspy.counts() - before
    assert (used.h2d, used.h2d_bytes, used.d2h, used.d2h_bytes, used.waits) == (1, 100, 2, 75, 1), used
    assert "h2d=1, h2d_bytes=100" in repr(used)


@xferspy.guard(h2d=1, d2h="64B")
def guarded(size=0, times=1):
    for _ in range(times):
        driver.upload(8)
    if size:
        driver.download(size)  # the download
    return size


async def guarded_later():
    await asyncio.sleep(0)
    return guarded(64)


def guards():
    assert guarded(64) == 64 and guarded(0) == 0
    assert asyncio.run(xferspy.guard(h2d=1)(guarded_later)()) == 64
    text = raised(xferspy.GuardError, lambda: guarded(65))
    assert is_bare == (text is None)
    if text:
        first, *places = text.splitlines()
        assert first == "guarded made 1 copy from device to host with 65 B; the limit is 64B", text
        assert any("1 of 65 B at package_program.py:%d in " % line in place for place in places
                   for line in [guarded.__wrapped__.__code__.co_firstlineno + 5]), text
    text = raised(xferspy.GuardError, lambda: guarded(0, times=3))
    assert is_bare or text.startswith("guarded made 3 copies from host to device with 24 B; the limit is 1"), text
    text = raised(xferspy.GuardError, lambda: asyncio.run(xferspy.guard(h2d=0)(guarded_later)()))
    assert is_bare == (text is None), text
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with xferspy.guard(waits=0, action="warn"):
            driver.wait()
    assert [w.category for w in caught] == ([] if is_bare else [xferspy.GuardWarning])
    assert is_bare or caught[0].filename == __file__, caught[0].filename
    for wrong in ({}, {"h2d": -1}, {"h2d": True}, {"h2d": "much"}, {"waits": "3B"}, {"h2d": 1, "action": "stop"}):
        assert raised(ValueError, lambda: xferspy.guard(**wrong)), wrong
    assert raised(TypeError, lambda: xferspy.guard(h2d=0)(lambda: (yield)))


def an_error_is_not_hidden():
    with xferspy.guard(h2d=0):
        driver.upload(8)
        raise ZeroDivisionError("the program's own")


def reports():
    entry = xferspy.report()
    if is_bare:
        assert entry is None
        return
    assert entry["run"]["simulated"] in (True, False)
    copied = xferspy.counts()
    assert entry["transfers"]["total"]["count"] == copied.h2d + copied.d2h, entry["transfers"]
    with xferspy.region("looked at"):
        driver.upload(9000)
        driver.upload(9000)
    entry = xferspy.report("--nvtx=looked at", "--by=site")
    assert entry["transfers"]["total"]["bytes"] == 18000, entry["transfers"]
    assert "noop-upload" in [finding["name"] for finding in entry["findings"]], entry["findings"]
    assert raised(xferspy.ProgramError, lambda: xferspy.report("--no-such-option"))


before_cuda()
driver.begin()
regions()
steps()
counts()
guards()
assert raised(ZeroDivisionError, an_error_is_not_hidden) == "the program's own"
reports()
print("done")
