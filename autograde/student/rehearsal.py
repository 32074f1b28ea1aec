"""Runs what every fork will run a few times before the first fork: Python adapts code that runs often.

What it adapts once, each fork would else adapt for itself, in memory that it has to copy for that.
"""

import linecache
import socket
from contextlib import redirect_stdout

from autograde.plain_data import decode, encode
from autograde.student.kernel import Kernel
from autograde.student.outputs import Stream
from autograde.student.shell import Shell

_TIMES = 16  # Python adapts after eight, and again when it has seen more
_CELL = """
def _rehearsed(windows, start=0.0, *, names=("a", "b")):
    'A function as students write them.'
    windows.append((start, 1))
    return {"covered": windows, "names": [*names, None, True], "ratio": 0.5}
print("rehearsed")
"""
_FAILING = "raise ValueError('rehearsed')"


def rehearse(shell: Shell, output_limit: int) -> None:
    """Run cells, calls and answers; the shell is as unused as before.

    Args:
        shell: An interpreter that has run nothing.
        output_limit: As for :class:`Kernel`.
    """
    names, count = dict(shell.names), shell.count
    arguments = encode((([(1, 4.0), ["x", {"y": None}]],), {"start": 2.5}))
    for text in (_CELL, _FAILING):
        shell.prepare(text)
    wire, other_end = socket.socketpair()
    with wire, other_end, redirect_stdout(Stream(shell.outputs, "stdout", 1)):
        kernel = Kernel(wire, shell, output_limit)
        for _ in range(_TIMES):
            for reply in (
                kernel.run(_CELL, "undrawn"),
                kernel.run(_FAILING, "made"),
                kernel.get(["_rehearsed", "nothing"], True),
                kernel.call(0, arguments, None),
            ):
                decode(encode(reply))
    for text in (_CELL, _FAILING):
        linecache.cache.pop(shell.forget(text), None)
    shell.names.clear()
    shell.names.update(names)
    shell.count = count
