"""Large libraries, which are looked for only where they are loaded already."""

import sys
from importlib.util import _LazyModule  # type: ignore[attr-defined]  # what LazyLoader makes; it has no other name
from typing import Any


def loaded(name: str) -> Any:
    """Return a module that is loaded; None if it is not, or only will be when it is used."""
    module = sys.modules.get(name)
    return None if type(module) is _LazyModule else module
