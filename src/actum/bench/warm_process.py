"""A plain, warm, single-threaded Python, to compare with: no wall, no layer, nothing of ours.

    python -S -s -P warm_process.py MODULE...

A line on its standard input is an order: `fork` forks and evaluates `1+1` in the child, `loop`
runs the source that follows, given as JSON, and answers with the processor time that it took.
"""

import gc
import importlib
import json
import os
import sys
import time

LIKE_OURS = ("asyncio", "logging", "queue", "random", "tempfile", "threading")
"""What a session of ours has loaded too."""


def fork() -> None:
    """Answer from a fork."""
    child = os.fork()
    if child == 0:
        os.write(1, f"{eval('1+1')}\n".encode())  # noqa: S307 -- what is measured
        os._exit(0)
    os.waitpid(child, 0)


def loop(source: str) -> None:
    """Answer with the processor time that a program takes."""
    code = compile(source, "<loop>", "exec")
    before = time.process_time()
    exec(code, {})  # noqa: S102 -- what is measured
    os.write(1, f"{time.process_time() - before}\n".encode())


def main() -> None:
    """Load, freeze, and take orders."""
    for name in (*LIKE_OURS, *sys.argv[1:]):
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    os.write(1, b"ready\n")
    for line in sys.stdin:
        order, _, rest = line.partition(" ")
        if order.strip() == "fork":
            fork()
        else:
            loop(json.loads(rest))


if __name__ == "__main__":
    main()
