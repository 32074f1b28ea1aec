"""Imports nbgrader, when somebody does, without the Jupyter server extensions that it imports too.

They take half a second. Whoever imports one of them later still gets it.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

_NAME = "nbgrader"
_EXTENSIONS = tuple(
    f"{_NAME}.server_extensions.{part}"
    for part in ("assignment_list", "course_list", "formgrader", "validate_assignment")
)


def install() -> None:
    """Take effect in this process: for the command itself, and for a course's configuration."""
    if _NAME not in sys.modules:
        sys.meta_path.insert(0, _Finder())


class _Finder:
    """Finds nbgrader, once."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != _NAME:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            loader: Any = _Loader(spec.loader)
            spec.loader = loader
        return spec


class _Loader:
    """Executes nbgrader with empty modules in the place of its extensions."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        made: ModuleType | None = self._loader.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        for name in _EXTENSIONS:
            sys.modules[name] = ModuleType(name)
            vars(sys.modules[name])["load_jupyter_server_extension"] = None
        try:
            self._loader.exec_module(module)
        finally:
            for name in _EXTENSIONS:
                del sys.modules[name]
