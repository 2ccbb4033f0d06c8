"""Names parts of a program for xferspy, and asks xferspy about the program while it runs.

The program runs under the library, by `xferspy run -- python train.py` or by LD_PRELOAD=libxferspy.so. Without the
library every function here does nothing, so a program can keep its calls. See docs/use/python.md."""
from ._guard import GuardError, GuardWarning, guard
from ._library import Counts, counts, is_recorded, region, snapshot, step, steps, trace
from ._program import ProgramError, program, report

__all__ = ["Counts", "GuardError", "GuardWarning", "ProgramError", "counts", "guard", "is_recorded", "program",
           "region", "report", "snapshot", "step", "steps", "trace"]
__version__ = "0.1.0"


def load_ipython_extension(shell):
    """Runs at `%load_ext xferspy`."""
    from ._jupyter import Magics
    shell.register_magics(Magics)
