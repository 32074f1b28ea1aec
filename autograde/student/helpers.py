"""Modules that an assignment brings along are compiled once, in the warm process, not in every fork."""

from collections.abc import Iterable
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from types import CodeType
from typing import Any


def compile_in_advance(texts: Iterable[str]) -> None:
    """Have imports of modules with exactly these texts use code that is compiled here.

    Args:
        texts: Texts of modules; what cannot be compiled is left for whoever imports it.
    """
    ready: dict[bytes, CodeType] = {}
    for text in texts:
        with suppress(SyntaxError, ValueError):
            ready[text.encode()] = compile(text, "<helper>", "exec", dont_inherit=True)
    compile_now = SourceFileLoader.source_to_code

    def source_to_code(self: SourceFileLoader, data: Any, path: Any, **options: Any) -> CodeType:
        code = ready.get(data) if type(data) is bytes and type(path) is str else None
        return compile_now(self, data, path, **options) if code is None else _named(code, path)

    if ready:
        SourceFileLoader.source_to_code = source_to_code  # type: ignore[method-assign, assignment]


def _named(code: CodeType, path: str) -> CodeType:
    """Return the code as compiled from the file at `path`, which tracebacks name."""
    inner = tuple(_named(each, path) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_filename=path, co_consts=inner)
