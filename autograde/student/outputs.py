"""What a cell shows, kept as plain data and cut at a limit."""

import io
from typing import Any

KEPT = ("text/plain", "image/png")  # the forms of a displayed value that are kept
_MAX_TRACEBACK_LINES = 60


class Outputs:
    """What a cell shows, in nbformat's terms, cut at a limit of characters.

    Args:
        limit: Characters of text that are kept for one cell.
    """

    def __init__(self, limit: int):
        self.limit = limit
        self.images = False
        self.clear()

    def clear(self) -> None:
        """Forget everything: the next cell begins."""
        self.items: list[dict[str, Any]] = []
        self._left = self.limit
        self._wait_clear = False

    def write(self, name: str, text: str) -> None:
        """Add text that was written to ``stdout`` or ``stderr``."""
        text = self._cut(text)
        last = self.items[-1] if self.items else None
        if not text:
            return
        if last is not None and last["output_type"] == "stream" and last["name"] == name:
            last["parts"].append(text)
        else:
            self.items.append({"output_type": "stream", "name": name, "parts": [text]})

    def show(self, kind: str, data: dict[str, Any]) -> None:
        """Add a displayed value: its plain text, and its picture where a person will look at it."""
        kept = {"text/plain": self._cut(str(data.get("text/plain", "")))}
        if self.images and isinstance(data.get("image/png"), str):
            kept["image/png"] = data["image/png"]
        self.items.append({"output_type": kind, "data": kept, "metadata": {}})

    def fail(self, name: str, text: str, lines: list[str]) -> None:
        """Add an error with its traceback."""
        kept = [self._cut(line) for line in lines[-_MAX_TRACEBACK_LINES:]]
        self.items.append(
            {"output_type": "error", "ename": name, "evalue": self._cut(text[:4000]), "traceback": kept}
        )

    def drop_all(self) -> None:
        """Forget what was shown so far (``clear_output``)."""
        self.items = []

    def plain(self) -> list[dict[str, Any]]:
        """Return the outputs as nbformat has them."""
        result = []
        for item in self.items:
            if item["output_type"] == "stream":
                item = {"output_type": "stream", "name": item["name"], "text": "".join(item["parts"])}
            result.append(item)
        return result

    def text_of(self, name: str) -> str:
        """Return everything written to one stream."""
        return "".join(
            part
            for item in self.items
            if item["output_type"] == "stream" and item["name"] == name
            for part in item["parts"]
        )

    def _cut(self, text: str) -> str:
        if self._left <= 0:
            return ""
        if len(text) > self._left:
            text = text[: self._left] + "\n[... 输出过长，已截断 / output cut ...]\n"
            self._left = 0
        else:
            self._left -= len(text)
        return text


class Stream(io.TextIOBase):
    """``sys.stdout`` or ``sys.stderr`` of the notebook."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, outputs: Outputs, name: str, descriptor: int):
        self._outputs = outputs
        self.name = f"<{name}>"
        self._stream = name
        self._descriptor = descriptor

    def write(self, text: str) -> int:
        """Keep text."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._outputs.write(self._stream, text)
        return len(text)

    def fileno(self) -> int:
        """Return the descriptor that the process's own stream has."""
        return self._descriptor

    def writable(self) -> bool:
        """Say that it can be written to."""
        return True

    def isatty(self) -> bool:
        """Say that it is no terminal."""
        return False
