"""nbgrader's own commands, typed as they are, on a course whose nbgrader_config.py plugs this grader in."""

import csv
import json
import re
from pathlib import Path

import nbformat
import pytest

from tests.books import course
from tests.books.dump import dump

CONFIG = """
from autograde.nbgrader_plugin import configure

c = get_config()
configure(c)
c.EngineExporter.sandbox = "none"
"""
HIDDEN_INPUT = "987654321"
HIDDEN = f"# hidden-rule-4711\nassert double({HIDDEN_INPUT}) == 2 * {HIDDEN_INPUT}, 'this may be shown'"
STUDENTS = ("ann", "bob", "dan", "eve", "mal")
SECRETS = (HIDDEN_INPUT, "hidden-rule-4711", "HIDDEN TESTS")
SPY = (
    "seen = []\n"
    "def double(x):\n"
    "    seen.append(x)\n"
    "    raise ValueError(f'<script>alert(1)</script> {x} {seen}')"
)
LATER = (
    "print('later', seen)\n"
    "from IPython.display import HTML, display\n"
    "display(HTML(f'<script>alert(2)</script>{seen}'))\n"
    "def negate(x):\n    return -x"
)

TELLS = "def negate(x):\n    raise ValueError(f'a visible test shows {seen}')"


def books(hidden: str = HIDDEN) -> dict[str, course.Cell]:
    made = course.source_books(hidden)
    made["alpha"]["cells"] += [
        course.cell("code", "def negate(x):\n    ### BEGIN SOLUTION\n    return -x\n    ### END SOLUTION",
                    "todo2-negate", solution=True),
        course.cell("code", "assert negate(1) == -1", "todo2-negate-test", grade=True, locked=True, points=1),
    ]  # fmt: skip
    return made


def submit(root: Path, student: str, double: str, negate: str = "def negate(x):\n    return -x") -> None:
    sent = books()
    cells = sent["alpha"]["cells"]
    cells[2]["source"], cells[4]["source"], cells[5]["source"] = double, "assert double(0) == 0", negate
    sent["beta"]["cells"][0]["source"] = "Twice. <script>alert(3)</script> <img src=x onerror=alert(4)>"
    for name, book in sent.items():
        course.write(root / "submitted" / student / course.ASSIGNMENT / f"{name}.ipynb", book)


@pytest.fixture(scope="module")
def graded(tmp_path_factory, nbgrader) -> Path:
    root = tmp_path_factory.mktemp("course")
    (root / "nbgrader_config.py").write_text(CONFIG)
    course.write_source(root, books())
    submit(root, "ann", course.RIGHT)
    submit(root, "bob", course.WRONG)
    submit(root, "eve", SPY, LATER)
    submit(root, "mal", "seen = []\ndef double(x):\n    seen.append(x)\n    return x + x", TELLS)
    broken = root / "submitted" / "dan" / course.ASSIGNMENT / "alpha.ipynb"
    broken.parent.mkdir(parents=True)
    broken.write_text("<!DOCTYPE html><title>Log in</title>")
    for arguments in (
        ("db", "student", "add", "zoe", "--last-name", "Zoë, the last", "--email", "=1+1"),
        ("autograde", course.ASSIGNMENT),
        ("generate_feedback", course.ASSIGNMENT),
        ("export", "--to", "grades.csv"),
    ):
        done = nbgrader(root, *arguments)
        assert done.returncode == 0, done.stderr
    return root


def pages(root: Path) -> dict[str, str]:
    return {str(p.relative_to(root / "feedback")): p.read_text() for p in (root / "feedback").rglob("*.html")}


def test_plain_autograde_uses_this_grader(graded):
    rows = dump(graded / "gradebook.db")["grades"]
    scores = {(student, name): auto for student, name, _, auto, *_ in rows}
    assert scores["ann", "todo1-double-test-hidden"] == 3.0
    assert scores["bob", "todo1-double-test-visible"] == 0.0
    assert scores["eve", "todo1-double-test-visible"] == 0.0
    assert scores["eve", "todo2-negate-test"] == 1.0
    assert scores["dan", "todo1-double-test-visible"] is None
    assert (graded / "autograded" / "ann" / course.ASSIGNMENT / ".autograde.json").is_file()


def test_plain_autograde_skips_what_is_unchanged_and_force_runs_it(graded, nbgrader):
    again = nbgrader(graded, "autograde", course.ASSIGNMENT)
    assert "5 unchanged, not run again" in again.stderr
    forced = nbgrader(graded, "autograde", course.ASSIGNMENT, "--student", "ann", "--force")
    assert forced.returncode == 0
    assert "1 submission: 1 graded" in forced.stderr
    assert "unchanged" not in forced.stderr


def test_plain_feedback_has_verdicts_and_nothing_hidden(graded):
    found = pages(graded)
    assert set(found) == {f"{s}/hw1/{b}.html" for s in STUDENTS for b in ("alpha", "beta")}
    everything = "\n".join(found.values())
    for secret in SECRETS:
        assert secret not in everything
    assert not list((graded / "feedback").rglob(".autograde.json"))  # its notes are for the instructor
    assert "未通过" in found["bob/hw1/alpha.html"]
    assert "TODO 1 · double" in found["bob/hw1/alpha.html"]


def test_plain_feedback_escapes_what_a_student_wrote(graded):
    everything = "\n".join(pages(graded).values())
    assert not re.search(r"<(script|img|iframe|svg|object)\b", everything, re.IGNORECASE)
    assert "&lt;script&gt;alert(3)" in everything  # the essay is there, as text


def test_the_autograded_notebooks_themselves_hide_the_hidden_tests(graded):
    for path in (graded / "autograded").rglob("*.ipynb"):
        text = path.read_text()
        assert "hidden-rule-4711" not in text
        assert "HIDDEN TESTS" not in text
        nbformat.validate(nbformat.reads(text, as_version=4))


def test_plain_export_says_what_is_no_score(graded):
    with (graded / "grades.csv").open(newline="") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    assert rows["ann"]["score"] == "6.0"
    assert rows["bob"]["status"] == "graded"
    assert (rows["dan"]["status"], rows["dan"]["score"], rows["dan"]["raw_score"]) == ("needs_review", "", "")
    assert (rows["zoe"]["status"], rows["zoe"]["score"]) == ("missing", "0.0")
    assert rows["zoe"]["last_name"] == "Zoë, the last"


def test_an_exported_cell_cannot_be_a_formula(graded):
    with (graded / "grades.csv").open(newline="") as file:
        addresses = {row["student_id"]: row["email"] for row in csv.DictReader(file)}
    assert addresses["zoe"] == "'=1+1"


def test_a_courses_own_configuration_is_kept():
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import Config

    from autograde.nbgrader_plugin import configure

    config = Config()
    config.CourseDirectory.ignore = ["*.mp4"]
    config.HTMLExporter.preprocessors = ["theirs.Own"]
    configure(config)
    configure(config)
    assert config.CourseDirectory.ignore == ["*.mp4", ".autograde.json*"]
    assert config.HTMLExporter.preprocessors == ["theirs.Own", "autograde.nbgrader_parts.HarmlessOutput"]
    untouched = Config()
    configure(untouched)
    default = CourseDirectory().ignore
    assert CourseDirectory(config=untouched).ignore == [*default, ".autograde.json*"]


def test_a_configuration_names_the_grader_and_does_not_import_it():
    import subprocess
    import sys

    code = (
        "import sys\nfrom traitlets.config import Config\n"
        "from autograde.nbgrader_plugin import configure\nc = Config()\nconfigure(c)\n"
        "assert not {'nbgrader', 'sqlalchemy', 'nbconvert'} & sys.modules.keys()\n"
        "from traitlets import import_item\n"
        "print([import_item(name).__name__ for name in (c.Autograde.exporter_class, c.ExportApp.plugin_class,"
        " c.GenerateFeedback.exporter_class, 'autograde.nbgrader_parts.HarmlessOutput')])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "['EngineExporter', 'StatusExport', 'FeedbackExporter', 'HarmlessOutput']"


def test_the_gradebooks_password_is_in_no_argument(monkeypatch):
    import subprocess
    from types import SimpleNamespace

    from autograde import nbgrader_parts
    from autograde.environment import take_database

    started = []

    class Child:
        stdout, returncode = (), 0

        def __init__(self, command, *, env, **options):
            started.append((command, env))

        def __enter__(self):
            return self

        def __exit__(self, *error):
            pass

    url = "postgresql+psycopg://ann:s3cret@localhost/grades"
    coursedir = SimpleNamespace(assignment_id="hw1", root=".", db_url=url)
    converter = SimpleNamespace(coursedir=coursedir, create_student=True, force=False)
    monkeypatch.setattr(nbgrader_parts, "_students", lambda converter: ["ann"])
    monkeypatch.setattr(subprocess, "Popen", Child)
    nbgrader_parts.EngineExporter()._grade(converter)
    ((command, variables),) = started
    assert "s3cret" not in " ".join(command)
    assert variables["PYTHONUTF8"] == "1"
    monkeypatch.setenv("AUTOGRADE_DB", variables["AUTOGRADE_DB"])
    assert take_database() == url
    assert take_database() is None  # what the command starts doesn't inherit it


def test_formgraders_button_uses_this_grader(graded, tmp_path, monkeypatch):
    from nbgrader.apps.api import NbGraderAPI
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import Config
    from traitlets.config.loader import PyFileConfigLoader

    monkeypatch.chdir(graded)
    config = PyFileConfigLoader("nbgrader_config.py", path=str(graded)).load_config()
    coursedir = CourseDirectory(root=str(graded), config=config)
    api = NbGraderAPI(coursedir=coursedir, config=Config(config))
    answer = api.autograde(course.ASSIGNMENT, "bob", force=True)
    assert answer["success"], answer
    assert "bob" in api.get_autograded_students(course.ASSIGNMENT)
    feedback = api.generate_feedback(course.ASSIGNMENT, "bob", force=True)
    assert feedback["success"], feedback


def test_what_formgrader_shows_cannot_run(graded):
    from nbconvert.exporters import HTMLExporter
    from nbgrader.server_extensions.formgrader import handlers
    from traitlets.config import Config

    from autograde.nbgrader_plugin import configure

    config = Config()
    configure(config)
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    exporter = HTMLExporter(config=config)
    resources = {"assignment_id": "hw1", "base_url": "", "submission_id": "1", "student": "eve",
                 "notebook_id": "n", "index": 0, "total": 1, "last_name": "", "first_name": "",
                 "notebook_path": ""}  # fmt: skip
    shown = ""
    for name in ("alpha", "beta"):
        path = graded / "autograded" / "eve" / "hw1" / f"{name}.ipynb"
        shown += exporter.from_filename(str(path), resources=resources)[0]
    assert "alert(2)" in shown
    assert "alert(3)" in shown
    assert not re.search(r"<script>alert|<img src=x", shown)


def test_a_notebook_that_this_grader_did_not_write_is_made_harmless_too(tmp_path):
    from autograde.nbgrader_parts import HarmlessOutput

    book = nbformat.v4.new_notebook()
    book.metadata["widgets"] = {"x": "</script><script>alert(1)</script>"}
    book.cells = [
        nbformat.v4.new_markdown_cell("<svg onload=alert(1)>", attachments={"a.svg": {"image/svg+xml": "x"}}),
        nbformat.v4.new_code_cell(
            "1",
            outputs=[
                nbformat.v4.new_output("display_data", data={"application/javascript": "alert(1)"}),
                nbformat.v4.new_output("display_data", data={"image/png": '"><script>alert(1)</script>'}),
                nbformat.v4.new_output(
                    "display_data", data={"text/html": "<b>ok</b><script>alert(1)</script>"}
                ),
            ],
        ),
    ]
    cleaned, _ = HarmlessOutput().preprocess(book, {})
    assert "widgets" not in cleaned.metadata
    assert cleaned.cells[0].source == "&lt;svg onload=alert(1)>"
    assert "attachments" not in cleaned.cells[0]
    assert [json.dumps(output.data) for output in cleaned.cells[1].outputs] == [
        json.dumps({"text/html": "<b>ok</b>&lt;script&gt;alert(1)&lt;/script&gt;"})
    ]
