"""Runs one of the Python examples with its loop made EXAMPLE_REPEAT times, in the memory that it has anyway: every
top-level `for` behind `begin = ...`, where the loop's time begins. Lines keep their numbers, so reports name the
example's own.

    EXAMPLE_REPEAT=10 repeat.py examples/cupy/host_round_trip/wasteful.py
"""

import ast
import os
import sys


def repeated(tree, times):
    timed, body = False, []
    for statement in tree.body:
        if timed and isinstance(statement, ast.For):
            outer = ast.parse(f"for _repeat in range({times}):\n    pass").body[0]
            outer.body = [statement]
            for node in outer, outer.target, *ast.walk(outer.iter):
                ast.copy_location(node, statement)
            statement = outer
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
