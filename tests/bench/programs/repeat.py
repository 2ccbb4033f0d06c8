"""Runs one of the Python examples with its loop made EXAMPLE_REPEAT times, in the memory that it has anyway: every
top-level `for` behind `begin = ...`, where the loop's time begins. Lines keep their numbers, so reports name the
example's own. When run-slices asks for turns (slices.py), these loops take their numbers from there.

    EXAMPLE_REPEAT=10 repeat.py examples/cupy/host_round_trip/wasteful.py
"""

import ast
import os
import sys

import slices


def placed(new, old):
    for node in ast.walk(new):
        ast.copy_location(node, old)
    return new


def again(loop, times):
    """The loop, `times` times."""
    outer = placed(ast.parse(f"for _repeat in range({times}):\n    pass").body[0], loop)
    outer.body = [loop]
    return outer


def in_turns(loop):
    """The loop with the numbers that run-slices asks for."""
    loop.iter = placed(ast.parse("__import__('slices').turns()", mode="eval").body, loop)
    return loop


def repeated(tree, times):
    timed, body = False, []
    for statement in tree.body:
        if timed and isinstance(statement, ast.For):
            statement = in_turns(statement) if slices.asked() else again(statement, times)
        elif isinstance(statement, ast.Assign) and any(getattr(t, "id", "") == "begin" for t in statement.targets):
            timed = True
        body.append(statement)
    tree.body = body
    return tree


def main():
    path = sys.argv[1]
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read(), path)
    code = compile(repeated(tree, int(os.environ.get("EXAMPLE_REPEAT", "1"))), path, "exec")
    sys.argv = sys.argv[1:]
    exec(code, {"__name__": "__main__", "__file__": path})


if __name__ == "__main__":
    main()
