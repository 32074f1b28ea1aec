"""What a student may know of a failed test: hidden lines, values and texts stay hidden."""

import ast
import difflib
import unicodedata
from collections.abc import Iterable

_BEGIN, _END = "BEGIN HIDDEN TESTS", "END HIDDEN TESTS"
_LONGEST = 400


def both(zh: str, en: str) -> str:
    """Return a message in both languages."""
    return f"{zh} / {en}"


def visible_lines(source: str, released: str) -> frozenset[int]:
    """Return the numbers (from 1) of the lines of a test cell that the student's edition shows."""
    lines, shown = source.splitlines(), released.splitlines()
    matcher = difflib.SequenceMatcher(None, lines, shown, autojunk=False)
    kept = {
        block.a + offset + 1
        for block in matcher.get_matching_blocks()
        for offset in range(block.size)
        if lines[block.a + offset].strip()
    }
    hidden = False
    for number, line in enumerate(lines, 1):
        hidden = hidden or _BEGIN in line
        if hidden:
            kept.discard(number)
        if _END in line:
            hidden = False
    return frozenset(kept)


def constants(sources: Iterable[str]) -> frozenset[str]:
    """Return every string literal of an instructor's cells (parts of f-strings excepted)."""
    found: set[str] = set()
    for source in sources:
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            continue
        parts = {
            id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)
        }
        found |= {
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts
        }
    return frozenset(found)


class FailureWording:
    """The messages of one test cell.

    Args:
        grade_id: The test cell's id.
        source: The instructor's text.
        released: The student's text.
        literals: The string literals of the instructor's notebook.
        called: A hidden check may have called the student's code before this cell: what that code raises or
            returns from now on may repeat what it was called with.
    """

    def __init__(
        self, grade_id: str, source: str, released: str, literals: frozenset[str], *, called: bool = False
    ):
        self._grade_id = grade_id
        self._lines = source.splitlines()
        self._visible = visible_lines(source, released)
        self._literals = literals
        self._called = called

    def may_show(self, lines: list[int]) -> bool:
        """Say whether a failure happened on lines that the student can read."""
        return bool(lines) and all(line in self._visible for line in lines)

    def _may_quote(self, text: str, line: int) -> bool:
        """Say whether a text that the student's code may have made can hold nothing of a hidden check."""
        hidden_above = any(
            self._lines[above - 1].strip() and above not in self._visible for above in range(1, line)
        )
        return text in self._literals or not (self._called or hidden_above)

    def own_failure(self, name: str, text: str, lines: list[int]) -> str:
        """Word a failure that the test itself raised."""
        if self.may_show(lines):
            where = self._lines[lines[-1] - 1].strip()
            said = f"{name}: {text}" if text and self._may_quote(text, lines[-1]) else name
            return _cut(f"{said}  ←  {where}")
        if name == "AssertionError" and text and text in self._literals:
            return _cut(text)
        return both(
            f"{self._grade_id}：有一项隐藏检查未通过。隐藏检查用新的数值检验题目写明的同一条规则",
            "a hidden check did not pass; it checks the rules of the text on new values",
        )

    def answer_raised(self, name: str, bases: list[str], text: str, lines: list[int]) -> str:
        """Word an exception that the student's function raised.

        Which one it is could be chosen by what a hidden check called the function with: not even its class
        is told then.
        """
        if "NotImplementedError" in bases and "StdinNotImplementedError" not in bases:
            return both("这个 TODO 还没有完成", "this TODO is not written yet")
        if self.may_show(lines):
            where = self._lines[lines[-1] - 1].strip()
            if self._may_quote(text, lines[-1]):
                zh, en = f"你的代码抛出 {name}：{text}", f"your code raised {name}: {text}"
            else:
                zh, en = "你的代码抛出异常", "your code raised an exception"
            return _cut(f"{both(zh, en)}  ←  {where}")
        return both(
            f"{self._grade_id}：一项隐藏检查调用你的代码时，代码抛出异常",
            "your code raised an exception when a hidden check called it",
        )


def clean(text: str) -> str:
    """Return a text that can be written anywhere: no control characters, no halves of surrogate pairs."""
    kept = (
        c if c in "\n\t" or unicodedata.category(c)[0] != "C" else "\N{REPLACEMENT CHARACTER}" for c in text
    )
    return "".join(kept)


def _cut(text: str) -> str:
    text = clean(text)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


NOT_ANSWERED = both("答案单元没有改动", "the answer cell is unchanged")
TIMED_OUT = both("超过时限，已中止：可能有死循环", "stopped at the time limit: an endless loop?")
CRASHED = both(
    "运行到这里时，你的代码使 Python 进程退出",
    "your code ended the Python process while this test was running",
)
NOT_REACHED = both(
    "这份作业的总时限已用完，没有运行到这里", "the submission's time was used up before this test"
)
NO_NOTEBOOK = both("没有收到这个笔记本", "this notebook was not handed in")
REVIEW = both("这一项需要教师查看，暂不计分", "a person will look at this test; it has no points yet")
PARTIAL = both("部分得分", "partial credit")
SYNTAX_ERROR = both(
    "它用到的答案单元有语法错误，没有运行；单独运行那一格，就能看到是哪一行",
    "an answer cell that it uses has a syntax error and did not run; run that cell to see the line",
)
NO_CREDIT = both("这一项没有得分", "no credit for this test")
