"""Large libraries that a cell imports here but that nothing uses are not loaded: that takes seconds."""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType

LARGE = frozenset({"matplotlib.pyplot", "pandas", "scipy", "sklearn", "sympy", "torch"})


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target) if fullname in LARGE else None
        if spec is None or spec.loader is None:
            return None
        spec.loader = LazyLoader(spec.loader)
        return spec


def import_lazily() -> None:
    """Have this process load the large libraries when something in them is used, not when it is imported.

    What is used while the plan is made is loaded before the first fork: see :attr:`Plan.modules`.
    """
    sys.meta_path.insert(0, _Finder())
