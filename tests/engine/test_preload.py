"""What is imported before the first fork: on the students' side, and on the examiner's."""

from autograde.examiner.preload import modules_of_tests, modules_to_preload
from autograde.examiner.task import Task
from autograde.limits import Limits
from tests.engine.course_in_code import answer, assignment, check, given

HELPER = 'TEXT = """\nimport matplotlib.pyplot\n"""\n'
TASK = Task.of(
    assignment(
        given(HELPER + "import numpy as np, torch"),
        answer("def f():\n    import sympy\n    import os"),
        check("t", "from scipy import stats\nassert f"),
        given("%matplotlib inline\nimport sklearn"),
    ),
    Limits(),
)


def test_students_get_all_that_the_source_imports_or_holds_as_text() -> None:
    found = modules_to_preload(TASK, {"helper.py": b"import pandas as pd", "data.csv": b"import torchvision"})
    wanted = {"matplotlib.pyplot", "numpy", "numpy.random", "pandas", "scipy", "sklearn", "sympy", "torch"}
    assert set(found) == wanted


def test_the_examiner_gets_what_tests_and_given_cells_import_themselves() -> None:
    assert set(modules_of_tests(TASK, {"helper.py": b"import pandas"})) == {
        "numpy",
        "pandas",
        "scipy",
        "torch",
    }
