"""What is imported before the first fork: on the students' side, and on the examiner's."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from autograde.examiner.preload import helper_texts, modules_in_files, modules_of_tests, modules_to_preload
from autograde.examiner.task import Task
from autograde.limits import Limits
from autograde.outcome import TestOutcome
from autograde.sandbox import Kind
from tests.engine.conftest import Start
from tests.engine.course_in_code import answer, assignment, check, given, results_of, submission

HELPER = 'TEXT = """\nimport matplotlib.pyplot\n"""\n'
TASK = Task.of(
    assignment(
        given(HELPER + "import numpy as np, torch"),
        answer("def f():\n    import sympy\n    import os"),
        check("t", "from scipy import stats\nassert f\nstats, np"),
        given("%matplotlib inline\nimport sklearn"),
    ),
    Limits(),
)
FILES = {"helper.py": b"import pandas as pd\npd.set_option", "data.csv": b"import torchvision"}


def test_students_get_all_that_the_source_imports_or_holds_as_text() -> None:
    found = modules_to_preload(TASK, FILES)
    wanted = {"matplotlib.pyplot", "numpy", "numpy.random", "pandas", "scipy", "sklearn", "sympy", "torch"}
    assert set(found) == wanted


def test_the_same_is_guessed_from_files_before_they_are_loaded(tmp_path: Path) -> None:
    cells = [{"cell_type": "code", "source": [cell.source]} for cell in TASK.books[0].cells]
    cells.append({"cell_type": "markdown", "source": ["import pandas"]})
    (tmp_path / "book.ipynb").write_text(json.dumps({"cells": cells}))
    (tmp_path / "broken.ipynb").write_text('{"cells": [')
    (tmp_path / "odd.ipynb").write_text('{"cells": [{"cell_type": "code"}]}')
    assert modules_in_files(tmp_path) == modules_to_preload(TASK, {})
    (tmp_path / "helper.py").write_bytes(FILES["helper.py"])
    assert modules_in_files(tmp_path) == modules_to_preload(TASK, FILES)
    assert modules_in_files(tmp_path / "nowhere") == ("numpy", "numpy.random")


def test_the_examiner_gets_what_tests_and_given_cells_import_themselves_and_use() -> None:
    assert set(modules_of_tests(TASK, FILES)) == {"numpy", "pandas", "scipy"}
    drawing = Task.of(assignment(given("import matplotlib.pyplot as plt, numpy")), Limits())
    assert set(modules_of_tests(drawing, {})) == {"matplotlib", "numpy"}


def test_helpers_are_the_files_and_the_texts_of_given_cells() -> None:
    assert set(helper_texts(TASK, FILES)) == {FILES["helper.py"].decode(), "\nimport matplotlib.pyplot\n"}
    kept_back = replace(given('TEXT = "import hidden"'), released="TEXT = ...")
    assert helper_texts(Task.of(assignment(kept_back), Limits()), {}) == []


def test_a_large_library_is_loaded_when_something_in_it_is_used() -> None:
    code = """
import sys
from autograde.examiner.lazy_imports import import_lazily
from autograde.examiner.preload import import_all, loaded_modules
from autograde.plain_data import encode, loaded
from autograde.student.kernel import random_state, reseed
import_lazily()
import torch
import matplotlib.pyplot as plt
reseed(), random_state(), encode([1.5])
assert loaded("torch") is None and "torch._C" not in sys.modules and loaded("numpy") is sys.modules.get("numpy")
assert loaded_modules() <= {"numpy", "numpy.random", "matplotlib"}, loaded_modules()
assert torch.tensor([1]).sum().item() == 1 and loaded("torch") is torch and "torch" in random_state()
import_all(["sympy", "matplotlib.pyplot"])
assert "sympy.core" in sys.modules
assert loaded("matplotlib.pyplot") is plt and "matplotlib.figure" in sys.modules
try:
    import sympy.nothing_like_this
except ModuleNotFoundError as error:
    print("said", error.name)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("said sympy")


@pytest.mark.parametrize("used", [False, True], ids=["imported", "used"])
def test_the_plan_tells_a_library_that_is_used_from_one_that_is_only_imported(
    start: Start, kind: Kind, used: bool
) -> None:
    check_it = "assert f(1) == 2" + ("\nassert tensor([2]).equal(tensor([f(1)]))" if used else "")
    helper = "from torch import tensor" if used else "import torch"
    task = assignment(given(helper), answer("def f(x):\n    return x + 1"), check("t", check_it))
    executor = start(task, kind)
    assert ("torch" in executor.plan.modules) == used
    (right,) = executor.run([submission(task, {"answer": "def f(x):\n    return x + 1"})])
    (wrong,) = executor.run([submission(task, {"answer": "def f(x):\n    return x"})])
    assert [results_of(each)["t"].outcome for each in (right, wrong)] == [
        TestOutcome.PASSED,
        TestOutcome.FAILED,
    ]
