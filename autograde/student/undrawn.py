"""Figures that nobody looks at are not drawn: pyplot's functions give inert objects while a cell runs.

Which cells may run like this is part of the plan: instructor's cells that show a figure, that the student has
not changed, and whose names nothing else mentions. What such a cell calls and prints is as ever.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import FunctionType
from typing import Any

_KEPT = {"rc", "rc_context", "rcdefaults", "switch_backend", "get_cmap", "get_backend", "close", "xkcd"}


class Undrawn:
    """Stands for a figure, its axes, and everything on them."""

    asked = 0  # how often pyplot was asked for anything

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self

    def __call__(self, *_: Any, **__: Any) -> Any:  # noqa: D102  (ruff takes it for an ordinary method)
        return self

    def __getitem__(self, _: Any) -> Any:
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __repr__(self) -> str:
        return "<Figure, not drawn while grading>"


_NOTHING = Undrawn()


def _anything(*_: Any, **__: Any) -> Any:
    Undrawn.asked += 1
    return _NOTHING


def _subplots(nrows: int = 1, ncols: int = 1, *, squeeze: bool = True, **_: Any) -> tuple[Any, Any]:
    import numpy

    Undrawn.asked += 1
    axes = numpy.empty((nrows, ncols), dtype=object)
    axes[...] = _NOTHING
    if not squeeze:
        return _NOTHING, axes
    return _NOTHING, (axes.item() if axes.size == 1 else axes.squeeze())


@contextmanager
def undrawn() -> Iterator[None]:
    """Have pyplot draw nothing."""
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        yield
        return
    held, inert = vars(pyplot), _inert(pyplot)
    replaced = {name: held[name] for name in inert if name in held}
    try:
        held.update(inert)
        yield
    finally:
        for name in inert.keys() - replaced.keys():  # the student had deleted it
            held.pop(name, None)
        held.update(replaced)


@cache
def _inert(pyplot: Any) -> dict[str, Any]:
    return {
        name: _subplots if name == "subplots" else _anything
        for name, value in vars(pyplot).items()
        if type(value) is FunctionType
        and value.__module__ == pyplot.__name__
        and name not in _KEPT
        and name[0] != "_"
    }
