"""What the measurements of whole programs share (run-programs, compare-budget, run-start): which programs there are,
how each is started in which mode, how long its loop has to be, and the statistics. Needs Python's standard library, a
build folder and this tree, so that both can be carried to a machine without development packages."""

import glob
import importlib.machinery
import importlib.util
import json
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAMS = os.path.join(HERE, "programs")
LOOP = re.compile(r"^loop ([0-9.]+) ms$", re.M)
RUN_SECONDS = 180  # a program that takes longer is hung
RESAMPLES = 2000

sys.dont_write_bytecode = True  # the tree that was carried stays as it is


def _truth():
    """tests/examples/truth: the pairs of examples, their findings and sizes."""
    path = os.path.join(ROOT, "tests", "examples", "truth")
    loader = importlib.machinery.SourceFileLoader("truth", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("truth", loader))
    loader.exec_module(module)
    return module


truth = _truth()

# mode: what it is called in tables, the library's settings (None: without the library)
MODES = {
    "bare": ("bare", None),
    "default": ("as it comes", {}),
    "nocupti": ("`XFERSPY_CUPTI=off`", {"XFERSPY_CUPTI": "off"}),
    "wrappers": ("calls alone", {"XFERSPY_CUPTI": "off", "XFERSPY_FINGERPRINT": "off"}),
    "nobudget": ("`XFERSPY_BUDGET=off`", {"XFERSPY_BUDGET": "off"}),
    "ledger": ("`XFERSPY_MODE=ledger`", {"XFERSPY_MODE": "ledger"}),
    "disabled": ("`XFERSPY_ENABLE=off`", {"XFERSPY_ENABLE": "off"}),
    "empty": ("an empty library preloaded", {}),
    "former": ("the former library", {}),
    "nsys": ("nsys", None),
}

# Programs that are no examples: the module that they need, the script or the binary in the build folder.
OTHERS = {
    "train": ("torch", [os.path.join(ROOT, "tests", "gpu", "workloads", "train.py")]),
    "launch_bound": ("torch", [os.path.join(PROGRAMS, "launch_bound.py")]),
    "cupy_loop": ("cupy", [os.path.join(PROGRAMS, "cupy_loop.py")]),
    "jax_loop": ("jax", [os.path.join(PROGRAMS, "jax_loop.py")]),
    "threads": (None, ["tests/bench/bench_program_threads"]),
}
TRAIN_ITERATIONS = 300
UPLOAD_STEPS = 200


class Failed(Exception):
    pass


class Program:
    """One program: its name, what it needs, and the command that makes its loop `repeat` times as long."""

    def __init__(self, name, pair=None, side=None):
        self.name, self.pair, self.side = name, pair, side
        if pair:
            self.module = truth.MODULES.get(pair.language)
        else:
            self.module = OTHERS[name][0]

    def command(self, setup, repeat):
        """The words, and what is set in the environment besides."""
        more = {"EXAMPLE_REPEAT": str(repeat)}
        if not self.pair:
            words = OTHERS[self.name][1]
            if self.name == "train":
                return [sys.executable, *words, "--iterations", str(TRAIN_ITERATIONS * repeat)], more
            if self.module:
                return [sys.executable, *words], more
            return [os.path.join(setup.build, words[0]), *(["20"] if setup.sim else [])], more
        if self.pair.language != "cuda":
            script = os.path.join(ROOT, "examples", self.pair.name, f"{self.side}.py")
            return [sys.executable, os.path.join(PROGRAMS, "repeat.py"), script], more
        arguments = self.pair.arguments(setup)
        if self.pair.stem == "upload_every_step":
            arguments = [str((UPLOAD_STEPS // 10 if setup.sim else UPLOAD_STEPS) * repeat)]
        return [os.path.join(setup.build, "examples", f"{self.pair.stem}_{self.side}"), *arguments], more


def programs(sides=("wasteful", "repaired")):
    """All, in the order of the tables; an example's wasteful side has the pair's own name."""
    found = [Program(name) for name in OTHERS]
    for line in truth.PAIRS.splitlines():
        if line and not line.startswith("#"):
            pair = truth.Pair(line)
            found += [Program(pair.name if side == "wasteful" else f"{pair.name}:{side}", pair, side)
                      for side in sides]
    return found


class Setup:
    """The build folder, the machine, and how programs are started. `sim`: on the simulated GPU, with small sizes."""

    large = False  # of truth's pairs: the sizes that the examples have, which EXAMPLE_REPEAT leaves as they are

    def __init__(self, build, sim, folder):
        self.build, self.sim, self.folder = os.path.abspath(build), sim, folder
        self.library = os.path.join(self.build, "lib", "libxferspy.so")
        self.other_libraries = {"empty": os.path.join(self.build, "tests", "bench", "bench_empty.so")}  # of a mode
        self.xferspy = os.path.join(self.build, "bin", "xferspy")
        for path in self.library, self.xferspy:
            if not os.path.exists(path):
                sys.exit(f"{os.path.basename(sys.argv[0])}: not built: {path}")
        runner = truth.Runner(self, folder)  # it knows the environment of the examples
        self.environment, self.cuda_libraries = runner.environment, runner.cuda_libraries
        self.environment["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
        # Where Nsight Systems is not installed, the one of Nsight Compute can record, which is all that is needed.
        others = sorted(glob.glob("/opt/nvidia/nsight-compute/*/host/target-linux-x64/nsys"))
        self.nsys = shutil.which("nsys") or (others[-1] if others else None)
        self.lacking, self.warm = {}, set()

    def lacks(self, program):
        """Why the program cannot run here, or None. To ask also brings a framework's files into the page cache."""
        if program.module not in self.lacking:
            reason = None
            if program.module and self.sim:
                reason = "the simulated GPU is for CUDA programs"
            elif program.module:
                words = [sys.executable, "-c", f"import {program.module}"]
                if subprocess.run(words, env=self.environment, capture_output=True).returncode:
                    reason = f"no module {program.module}"
            self.lacking[program.module] = reason
        command, _ = program.command(self, 1)
        if not self.lacking[program.module] and not os.path.exists(command[0]):
            return f"not built: {command[0]}"
        return self.lacking[program.module]

    def environment_of(self, mode, more, trace=None):
        environment = {**self.environment, **more}
        settings = MODES[mode][1]
        if settings is not None:
            library = self.other_libraries.get(mode, self.library)
            environment |= {"LD_PRELOAD": library, "XFERSPY_QUIET": "on", **settings}
            environment["XFERSPY_OUTPUT"] = trace or os.path.join(self.folder, "trace.%p.db")
        return environment

    def run(self, program, mode, repeat, trace=None):
        """Wall and loop time in ms; None where the program says that it cannot run on this machine. `trace`: where its
        trace is kept, else it is removed."""
        words, more = program.command(self, repeat)
        if not program.module:
            more["LD_LIBRARY_PATH"] = self.cuda_libraries
        if mode == "nsys":
            words = [self.nsys, "profile", "-t", "cuda", "--sample=none", "--cpuctxsw=none", "--stats=false",
                     "--export=none", "--force-overwrite=true", "-o", os.path.join(self.folder, "nsys"), *words]
        begin = time.perf_counter()
        try:
            done = subprocess.run(words, env=self.environment_of(mode, more, trace), cwd=self.folder,
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=RUN_SECONDS,
                                  encoding="utf-8", errors="replace")
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Failed(f"{mode}: {error}") from error
        wall_ms = (time.perf_counter() - begin) * 1e3
        for name in os.listdir(self.folder):  # gigabytes of traces would fill the disk, and the page cache
            if name.startswith(("trace.", "nsys.")):
                os.remove(os.path.join(self.folder, name))
        if done.returncode == 77:
            return None
        loop = LOOP.search(done.stderr) or (LOOP.search(done.stdout) if mode == "nsys" else None)
        if (done.returncode and mode != "nsys") or not loop:  # nsys may be unable to make its report
            raise Failed(f"{mode}: exit status {done.returncode}, {done.stderr.strip()[-500:] or 'no loop time'}")
        return wall_ms, float(loop.group(1))

    def warm_up(self, program, mode):
        """A run that brings what the mode loads into the page cache; one for each framework is enough."""
        if (program.module, mode) not in self.warm:
            self.run(program, mode, 1)
            self.warm.add((program.module, mode))

    def calibrate(self, program, min_ms):
        """How often the loop has to be repeated to take `min_ms` bare; None where it cannot run. Also warms up."""
        repeat = 1
        for _ in range(3):
            times = self.run(program, "bare", repeat)
            if times is None:
                return None, 0
            if times[1] >= 0.9 * min_ms:
                break
            repeat = max(repeat + 1, math.ceil(repeat * 1.1 * min_ms / max(times[1], 1)))
        return repeat, times[0]


def add_options(parser):
    """The options that all three have. Without --sim and --gpu it is the real GPU where there is one."""
    there_is_one = os.path.exists("/dev/nvidia0") or os.path.exists("/dev/nvidiactl")
    parser.add_argument("--build")
    parser.add_argument("--sim", action="store_true", default=not there_is_one)
    parser.add_argument("--gpu", action="store_false", dest="sim")
    parser.add_argument("--only", default="")
    parser.add_argument("--time-limit", type=float, default=float("inf"))
    parser.add_argument("--out")


def build_of(options):
    release = os.path.join(ROOT, "build", "release")
    return options.build or (release if os.path.isdir(release) else os.path.join(ROOT, "build", "debug"))


def in_turn(modes, number):
    """The modes of a round: each round begins with another one, and every second one goes backwards, so that none
    always follows the same."""
    turned = modes[number % len(modes):] + modes[:number % len(modes)]
    return turned[::-1] if number % 2 else turned


def machine(setup):
    """What a reader has to know of the machine."""
    told = {"gpu": "simulated" if setup.sim else "no nvidia-smi", "cores": os.cpu_count(),
            "date": time.strftime("%Y-%m-%d"), "simulated": setup.sim}
    if not setup.sim and shutil.which("nvidia-smi"):
        words = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        answer = subprocess.run(words, capture_output=True, encoding="utf-8")
        told["gpu"] = "; ".join(dict.fromkeys(answer.stdout.strip().splitlines())) or told["gpu"]
    return told


def table_head(told, text):
    """The lines above a table: what machine, and a warning where the figures mean nothing."""
    lines = [f"{told['gpu']}, {told['cores']} cores, {told['date']}{text}", ""]
    if told["simulated"]:
        warning = "**These are figures of the simulated GPU. They say that the script works, and nothing else.**"
        lines[:0] = [warning, ""]
    return lines


def write_json(path, value):
    """Whole or not at all: a call that is ended leaves what was measured up to then."""
    if path:
        with open(f"{path}.part", "w", encoding="utf-8") as file:
            json.dump(value, file, indent=1)
            file.write("\n")
        os.replace(f"{path}.part", path)


def of_medians(rows, combine):
    """combine(medians of the columns), and its 95 % interval by resampling rows (tuples of what was measured side by
    side). Rows with a value that was not measured do not count; None where there is none."""
    rows = [row for row in rows if None not in row]
    if not rows:
        return None
    chance = random.Random(1)  # the same table each time
    value = combine(*(statistics.median(column) for column in zip(*rows)))
    again = sorted(combine(*(statistics.median(column) for column in zip(*chance.choices(rows, k=len(rows)))))
                   for _ in range(RESAMPLES))
    return value, again[int(0.025 * RESAMPLES)], again[int(0.975 * RESAMPLES) - 1]
