"""Finds the command `xferspy`, and runs it on the trace of this process."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

from . import _library


class ProgramError(RuntimeError):
    """The command is not there, or it failed."""


def program():
    """The path of the command: that of this package, as a wheel has it, or else the one that the shell would find."""
    own = pathlib.Path(__file__).parent / "bin" / "xferspy"
    path = str(own) if own.exists() else shutil.which("xferspy")
    if not path:
        raise ProgramError("the command xferspy is neither in this package nor in PATH")
    return path


def environment():
    """For the command: a program that is recorded may not have its own reader recorded."""
    kept = dict(os.environ)
    preloaded = [name for name in kept.pop("LD_PRELOAD", "").replace(":", " ").split()
                 if os.path.basename(name) != "libxferspy.so"]
    if preloaded:
        kept["LD_PRELOAD"] = " ".join(preloaded)
    return kept


def run(*words):
    """Runs the command and returns what it printed."""
    done = subprocess.run([program(), *words], stdin=subprocess.DEVNULL, capture_output=True, env=environment())
    if done.returncode != 0:
        raise ProgramError("xferspy %s: exit status %d: %s" % (words[0], done.returncode,
                                                              done.stderr.decode(errors="replace").strip()))
    return done.stdout.decode(errors="replace")


def report(*options):
    """What `xferspy report --format=json` says about this process up to now: the entry of its trace. Options are those
    of the command, such as `--nvtx=load`. None if nothing is recorded."""
    path = _library.trace()
    if not path:
        return None
    if not _library.snapshot():
        raise ProgramError("the trace could not be written in time")
    return json.loads(run("report", "--format=json", *options, path))["traces"][0]


def main():
    """The command itself, where a wheel installed it."""
    try:
        os.execv(program(), ["xferspy", *sys.argv[1:]])
    except (OSError, ProgramError) as error:
        sys.exit("xferspy: %s" % error)
