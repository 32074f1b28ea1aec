"""What a test holds in place of the student's objects: call-through functions, exceptions, and more."""

import builtins
import inspect
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

_MOST_PARAMETERS = 256
_NOT_RAISED_HERE = {"KeyboardInterrupt", "GeneratorExit"}
_BUILTIN_ERRORS: dict[str, type[BaseException]] = {
    name: value
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException) and name not in _NOT_RAISED_HERE
}


ENDS_LOOPS = (StopIteration, StopAsyncIteration)


class StopTest(BaseException):
    """Ends a test from within a stand-in; what happened is on record already."""


def make_function(
    call: Callable[[tuple[Any, ...], dict[str, Any]], Any], name: str, doc: str, shape: Any
) -> Callable[..., Any]:
    """Return a function that calls through to the student's process.

    Args:
        call: Makes the call.
        name: The student's function's name.
        doc: Its documentation.
        shape: Its signature as the student's process described it (see ``student.kernel``); None if unknown.
    """

    def function(*args: Any, **kwargs: Any) -> Any:
        return call(args, kwargs)

    function.__name__ = function.__qualname__ = (
        name if type(name) is str and name.isidentifier() else "function"
    )
    # A test that reads the source must fail here with the solution too, and so run in shared mode.
    function.__code__ = function.__code__.replace(co_filename="<student>")
    function.__doc__ = doc if type(doc) is str else None
    function.__module__ = "__main__"
    signature = make_signature(shape)
    if signature is not None:
        function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def make_signature(shape: Any) -> inspect.Signature | None:
    """Return the signature that a description stands for; None if it makes no sense."""
    try:
        names, positional, positional_only, keyword_only, flags, defaults, keyword_defaults = shape
        counts = (positional, positional_only, keyword_only, flags)
        if not all(type(count) is int and 0 <= count <= _MOST_PARAMETERS for count in counts):
            return None
        if (type(names), type(defaults), type(keyword_defaults)) != (list, list, dict):
            return None
        kinds: list[Any] = [inspect.Parameter.POSITIONAL_ONLY] * positional_only
        kinds += [inspect.Parameter.POSITIONAL_OR_KEYWORD] * (positional - positional_only)
        values = [inspect.Parameter.empty] * (positional - len(defaults)) + list(defaults)
        parameters = [
            inspect.Parameter(name, kind, default=default)
            for name, kind, default in zip(names[:positional], kinds, values, strict=True)
        ]
        rest = list(names[positional + keyword_only :])
        if flags & 0x04:
            parameters.append(inspect.Parameter(rest.pop(0), inspect.Parameter.VAR_POSITIONAL))
        for name in names[positional : positional + keyword_only]:
            default = keyword_defaults.get(name, inspect.Parameter.empty)
            parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default))
        if flags & 0x08:
            parameters.append(inspect.Parameter(rest.pop(0), inspect.Parameter.VAR_KEYWORD))
        return inspect.Signature(parameters)
    except (TypeError, ValueError, IndexError):
        return None


def make_error(
    name: str,
    bases: list[str],
    text: str,
    arguments: tuple[Any, ...],
    known: Mapping[str, Any],
    *,
    may_end_loops: bool,
) -> BaseException:
    """Return an exception that a test can catch as it would catch the student's.

    Args:
        name: Name of its class.
        bases: Names of the class and its bases, nearest first.
        text: What ``str`` of it gave.
        arguments: Its arguments, as plain data.
        known: Names of the test's own notebook, where a given cell may define exception classes.
        may_end_loops: It may be a StopIteration: raised in ``all(map(f, ...))``, one ends the loop in
            silence.
    """
    for candidate in bases:
        own = known.get(candidate)
        cls = (
            own
            if isinstance(own, type) and issubclass(own, BaseException)
            else _BUILTIN_ERRORS.get(candidate)
        )
        if cls is not None and (may_end_loops or not issubclass(cls, ENDS_LOOPS)):
            break
    else:
        cls = Exception
    if cls.__name__ != name:
        cls = type(name if name.isidentifier() else "Error", (cls,), {"__module__": "__main__"})
    try:
        error: BaseException = cls(*arguments)
        if str(error) == text:
            return error
    except Exception:
        arguments = arguments or (text,)
    try:
        error = BaseException.__new__(cls, *arguments)
    except TypeError:  # exception groups
        error = Exception(text)
    error.args = arguments
    return error


def make_unreadable(report: Callable[[], NoReturn]) -> object:
    """Return an object that stands for a value that could not cross; what a test does with it is reported."""

    def refuse(self: object, *args: Any, **kwargs: Any) -> NoReturn:
        report()

    return type("Unreadable", (), dict.fromkeys(_TOUCHING, refuse))()


_NAMES = (
    "getattr call len iter next getitem setitem delitem contains bool eq ne lt le gt ge hash int "
    "float complex index str repr bytes format add radd sub rsub mul rmul truediv rtruediv floordiv "
    "rfloordiv mod rmod pow rpow matmul rmatmul and rand or ror xor rxor lshift rlshift rshift "
    "rrshift neg pos abs invert round enter exit iadd isub imul array reversed setattr delattr "
)
_TOUCHING = [f"__{name}__" for name in _NAMES.split()]
