"""Feedback pages and the class report: what is on them, and what is not."""

import csv
import io
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest

from autograde.__main__ import main
from autograde.charts import time_and_memory
from autograde.layout import CourseLayout
from autograde.report import render_report, scores_csv
from autograde.spreadsheet import plain_cell
from autograde.standing import read_standings
from autograde.templating import environment
from tests.books import course
from tests.books.test_grading import sqlite_run

LATER = "def later():\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION"
SECRET = "assert double(21) == 42, 'hidden-rule-4711'"
pytestmark = pytest.mark.usefixtures("fake_engine")


@pytest.fixture
def graded(root: Path) -> Path:
    course.write_source(root, course.source_books(SECRET))
    course.submit(root, "ann", course.RIGHT, timestamp="2026-11-02 10:00:00 UTC")
    course.submit(root, "bob", course.WRONG + "\n# <img src=x onerror=alert(1)>")
    course.submit(root, "cy", "REVIEW = 1")
    course.submit(root, "dee", "BROKEN = 1")
    course.submit(root, "eve", course.RIGHT)
    folder = root / "submitted" / "dan" / course.ASSIGNMENT
    folder.mkdir(parents=True)
    (folder / "alpha.ipynb").write_text("")
    assert run(root, "grade") == 3
    assert run(root, "feedback") == 0
    assert run(root, "report") == 0
    return root


def run(root: Path, command: str, *arguments: str) -> int:
    return main([command, course.ASSIGNMENT, "--course", str(root), *arguments])


def page(root: Path, student: str, name: str = "index") -> str:
    return (root / "feedback" / student / course.ASSIGNMENT / f"{name}.html").read_text(encoding="utf-8")


class Tags(HTMLParser):
    """Collects the tags and the text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += f" {data} "


def text_of(html: str) -> str:
    return re.sub(r"\s+", " ", Tags(html).text)


def test_every_graded_student_has_pages_for_each_notebook_and_one_with_all(graded):
    for student in ("ann", "bob", "cy", "dan", "dee"):
        names = {path.name for path in (graded / "feedback" / student / course.ASSIGNMENT).iterdir()}
        assert {"index.html", "alpha.html", "beta.html"} <= names
    assert (graded / "feedback" / "ann" / course.ASSIGNMENT / "timestamp.txt").is_file()


def test_a_page_shows_points_verdicts_and_messages_in_both_languages(graded):
    text = text_of(page(graded, "bob"))
    assert "TODO 1 · double 0 / 5" in text
    assert "翻倍不对。/ Doubling is wrong. <b>&</b>" in text
    assert "未通过 · Not yet right" in text
    assert "由老师评分 · Graded by your teacher" in text


def test_nothing_hidden_is_on_any_page(graded):
    for path in (graded / "feedback").rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert b"hidden-rule-4711" not in content
            assert b"double(21)" not in content


def test_nothing_a_student_wrote_is_markup(graded):
    html = page(graded, "bob")
    assert "&lt;img src=x onerror=alert(1)&gt;" in html
    assert not {"img", "script", "iframe", "object"} & set(Tags(html).tags)
    assert "default-src 'none'" in html  # even a slip could not run


def test_what_is_no_score_is_not_shown_as_one(graded):
    for student, words in (("cy", "等待老师处理"), ("dan", "等待老师处理"), ("dee", "与你的代码无关")):
        text = text_of(page(graded, student))
        assert "待定 to be decided" in text
        assert words in text
    assert "待定" not in page(graded, "ann")


def test_a_page_says_how_many_points_a_person_has_yet_to_grade(graded):
    text = text_of(page(graded, "ann"))
    assert "目前确定的得分 · decided so far" in text
    assert "还有 5 分由老师评定 · points still to be graded by your teacher: 5" in text
    essay = "select id from base_cell where name = 'essay'"
    sqlite_run(graded, f"update grade set manual_score = 3 where cell_id in ({essay})")
    run(graded, "feedback", "--student", "ann")
    assert "还有 1 分由老师评定" in text_of(page(graded, "ann"))
    sqlite_run(graded, "update grade set manual_score = 0 where auto_score is null and manual_score is null")
    run(graded, "feedback", "--student", "ann")
    assert "decided so far" not in page(graded, "ann")


def test_a_persons_score_and_comment_are_shown(graded):
    sqlite_run(
        graded,
        "update grade set manual_score = 1.25, needs_manual_grade = 0 where auto_score = 2",
        "update comment set manual_comment = 'Nice <i>idea</i>'",
    )
    run(graded, "feedback", "--student", "ann")
    html = page(graded, "ann")
    assert "老师已评分 · Scored by your teacher 1.25 / 2" in text_of(html)
    assert "Nice &lt;i&gt;idea&lt;/i&gt;" in html


def test_outputs_from_after_a_hidden_test_are_not_shown(root):
    books = course.source_books(SECRET)
    books["alpha"]["cells"] += [
        course.cell("code", LATER, "todo2-later", solution=True),
        course.cell("code", "assert later() == 1", "todo2-later-test", grade=True, locked=True, points=1),
    ]
    course.write_source(root, books)
    course.submit(root, "ann")
    run(root, "grade")
    run(root, "feedback")
    sections = page(root, "ann").split("<section")[1:]
    first = next(section for section in sections if "TODO 1" in section)
    second = next(section for section in sections if "TODO 2" in section)
    assert "&lt;script&gt;alert(&#39;out&#39;)" in first
    assert "输出" not in second


def test_report_counts_what_happened(graded):
    layout = CourseLayout.of(graded)
    assignment, standings = read_standings(layout, course.ASSIGNMENT, None)
    text = text_of(render_report(assignment, standings))
    assert "3graded" in text.replace(" ", "")
    assert "2needsreview" in text.replace(" ", "")
    assert "1infrastructureerror" in text.replace(" ", "")
    assert "Answers are the same, character for character: ann, eve" in text
    assert "3 submissions with a score" in text
    assert (graded / "report" / course.ASSIGNMENT / "index.html").is_file()


def test_report_says_what_is_wrong_with_the_assignment_itself(root, monkeypatch):
    class Looking(course.FakeExecutor):
        plan = SimpleNamespace(problems=("todo1: the solution itself <fails>",))

    def make(assignment, **options):
        return Looking(assignment)

    monkeypatch.setattr("autograde.commands.grade.LocalExecutor", make)
    course.submit(root, "ann")
    run(root, "grade")
    run(root, "grade")  # nothing to run: nobody looks again
    page_path = root / "report" / course.ASSIGNMENT / "index.html"
    run(root, "report")
    assert "The assignment itself: todo1: the solution itself &lt;fails&gt;" in page_path.read_text()
    course.write_source(root, course.source_books(points=8))  # corrected, and not looked at yet
    run(root, "report")
    assert "The assignment itself" not in page_path.read_text()


def test_csv_has_a_status_and_no_score_where_there_is_none(graded):
    content = (graded / "report" / course.ASSIGNMENT / "scores.csv").read_text(encoding="utf-8-sig")
    rows = {row["student_id"]: row for row in csv.DictReader(io.StringIO(content))}
    found = {student: (row["status"], row["score"]) for student, row in rows.items()}
    assert found == {
        "ann": ("graded", "5.0"),
        "bob": ("graded", "0.0"),
        "cy": ("needs_review", ""),
        "dan": ("needs_review", ""),
        "dee": ("infrastructure_error", ""),
        "eve": ("graded", "5.0"),
    }
    assert rows["ann"]["alpha/todo1-double"] == "5.0"
    assert rows["cy"]["alpha/todo1-double"] == ""
    assert rows["ann"]["submitted_at"] == "2026-11-02 10:00"


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t=", "\r=", "＝"])
def test_a_cell_of_a_table_is_never_a_formula(sign):
    assert plain_cell(f"{sign}1+1") == f"'{sign}1+1"


def test_csv_cells_cannot_be_formulas(root):
    course.submit(root, "=1+1")
    run(root, "grade")
    assignment, standings = read_standings(CourseLayout.of(root), course.ASSIGNMENT, None)
    assert "\n'=1+1," in scores_csv(assignment, standings)


def test_report_shows_old_and_new_scores_of_what_a_corrected_test_changed(graded):
    course.write_source(graded, course.source_books(SECRET, points=8))
    run(graded, "grade")
    assignment, standings = read_standings(CourseLayout.of(graded), course.ASSIGNMENT, None)
    html = render_report(assignment, standings)
    table = text_of(html[html.index("Changed by the last grading") :])
    assert "ann tests changed 5 10" in table
    assert "alpha/todo1-double-test-hidden: 3 → 8" in table
    assert "bob tests changed" not in table  # 0 before and after


def test_missing_and_ungraded_students_are_told_apart(graded, tmp_path):
    roster = tmp_path / "roster.csv"
    roster.write_text("id,first_name,last_name,email\nzoe,,,\n")
    assert main(["roster", str(roster), "--course", str(graded)]) == 0
    course.submit(graded, "new")
    _, standings = read_standings(CourseLayout.of(graded), course.ASSIGNMENT, None)
    statuses = {standing.student.id: standing.status.value for standing in standings}
    assert (statuses["zoe"], statuses["new"]) == ("missing", "not_graded")


def test_feedback_before_grading_is_refused_with_one_line(root, capsys):
    assert run(root, "feedback") == 2
    assert "run `python -m autograde grade hw1` first" in capsys.readouterr().err


def test_templates_escape_by_default():
    assert environment().from_string("{{ x }}").render(x="<script>") == "&lt;script&gt;"


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_pages_do_not_scroll_sideways(graded, tmp_path, width):
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("Chromium is not installed")
    report = (graded / "report" / course.ASSIGNMENT / "index.html").read_text(encoding="utf-8")
    for html in (page(graded, "bob"), report):
        tell = "parent.postMessage(document.documentElement.scrollWidth + '/' + innerWidth, '*')"
        unguarded = re.sub(r"<meta http-equiv[^>]*>", "", html)  # or our own script could not run
        inner = unguarded.replace("</body>", f"<script>onload = () => {tell}</script></body>")
        (tmp_path / "inner.html").write_text(inner, encoding="utf-8")
        (tmp_path / "outer.html").write_text(
            "<!DOCTYPE html><script>onmessage = message => document.title = message.data</script>"
            f"<iframe src='inner.html' style='width: {width}px; height: 800px; border: 0'></iframe>"
        )
        done = subprocess.run(
            [
                chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1400,900",
                "--virtual-time-budget=5000", "--dump-dom", (tmp_path / "outer.html").as_uri(),
            ],
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        needed, available = map(int, re.search(r"<title>(\d+)/(\d+)</title>", done.stdout).groups())
        assert available == width
        assert needed <= available


def test_one_slow_submission_does_not_squash_the_others():
    usual = [0.2 + n / 1000 for n in range(5)]
    assert "<!-- 10 -->" not in time_and_memory(usual, usual)
    wide = time_and_memory([*usual, 30.0], [])
    assert "<!-- 1 -->" in wide and "<!-- 10 -->" in wide  # decades
    assert "<!-- 20 -->" not in wide
    assert "not measured" in wide
