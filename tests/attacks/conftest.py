"""The executors that the engine's tests share."""

from tests.engine.conftest import kind, sandbox_works, start

__all__ = ["kind", "sandbox_works", "start"]
