"""What students read, in Chinese and English: outcomes, statuses, headings."""

import re
from dataclasses import dataclass

from autograde.outcome import Status, TestOutcome


@dataclass(frozen=True, slots=True)
class Wording:
    """One phrase in both languages."""

    zh: str
    en: str


OUTCOMES = {
    TestOutcome.PASSED: Wording("通过", "Passed"),
    TestOutcome.PARTIAL: Wording("部分正确", "Partly right"),
    TestOutcome.FAILED: Wording("未通过", "Not yet right"),
    TestOutcome.ERROR: Wording("运行出错", "Ended with an error"),
    TestOutcome.TIMED_OUT: Wording("运行超时", "Took too long"),
    TestOutcome.NOT_REACHED: Wording("时间用完，没有运行到这里", "Not reached: the time was used up before"),
    TestOutcome.NEEDS_REVIEW: Wording(
        "无法自动评判，等待老师处理", "Could not be judged; your teacher will decide"
    ),
    TestOutcome.MANUAL: Wording("由老师评分", "Graded by your teacher"),
}
SCORED_BY_HAND = Wording("老师已评分", "Scored by your teacher")
STATUSES = {
    Status.GRADED: Wording("已评分", "Graded"),
    Status.GRADED_WITH_REPAIRS: Wording(
        "已评分（提交的文件有改动，已自动修复）", "Graded, after repairs to the file"
    ),
    Status.NEEDS_REVIEW: Wording(
        "有部分内容无法自动评分，等待老师处理；现在还不是最终成绩",
        "Something could not be graded automatically; your teacher will decide, this is not your final score",
    ),
    Status.INFRASTRUCTURE_ERROR: Wording(
        "评分系统出了故障，与你的代码无关；修好后会重新评分",
        "The grading system failed, through no fault of yours; your work will be graded again",
    ),
}
_TODO = re.compile(r"todo[-_ ]?(\d+)[-_ ]*(.*)", re.IGNORECASE)


def exercise_title(grade_id: str) -> str:
    """Return a heading for an exercise.

    >>> exercise_title("todo1-exposed-interval"), exercise_title("essay_2")
    ('TODO 1 · exposed interval', 'essay 2')
    """
    found = _TODO.fullmatch(grade_id)
    words = re.sub(r"[-_]+", " ", found[2] if found else grade_id).strip()
    if not found:
        return words
    return f"TODO {found[1]} · {words}" if words else f"TODO {found[1]}"


def test_title(grade_id: str, exercise: str) -> str:
    """Return a short name for a test of an exercise.

    >>> test_title("todo1-exposed-interval-test-visible", "todo1-exposed-interval")
    'visible'
    """
    rest = grade_id.removeprefix(exercise).strip("-_ ")
    rest = re.sub(r"^test[-_ ]*", "", rest)
    return re.sub(r"[-_]+", " ", rest) or "test"
