"""Tensors cross the boundary, and torch survives the fork."""

import pytest

from autograde.sandbox import Kind
from tests.engine.conftest import Start
from tests.engine.course_in_code import answer, assignment, check, given, points_of, submission

pytest.importorskip("torch")

SOLUTION = """\
import torch

def scaled(x, factor):
    return x * factor

def add_in_place(x):
    x += 1

weights = torch.ones(2, 3)
"""
TASK = assignment(
    given("import torch"),
    answer(SOLUTION),
    check("value", "assert torch.equal(scaled(torch.arange(3.0), 2), torch.tensor([0.0, 2.0, 4.0]))"),
    check("in_place", "x = torch.zeros(2)\nadd_in_place(x)\nassert x.tolist() == [1.0, 1.0]"),
    check("variable", "assert weights.shape == (2, 3) and weights.dtype == torch.float32"),
    check("matmul", "a = torch.randn(64, 64)\nassert torch.allclose(scaled(a @ a, 1), a @ a)"),
    check("seeded", "torch.manual_seed(1)\na = torch.rand(3)\nassert not torch.equal(a, torch.zeros(3))"),
)


def test_tensors_cross_and_change_in_place(start: Start, kind: Kind) -> None:
    executor = start(TASK, kind)
    assert executor.plan.problems == () and not any(cell.shared for cell in executor.plan.books[0])
    jobs = [submission(TASK, {"answer": SOLUTION}, student=f"s{n}") for n in range(3)]
    jobs.append(submission(TASK, {"answer": SOLUTION.replace("x * factor", "x + factor")}, student="wrong"))
    found = {finished.result.student_id: points_of(finished) for finished in executor.run(jobs)}
    assert all(found[f"s{n}"] == dict.fromkeys(found["s0"], 1.0) for n in range(3))
    assert found["wrong"]["value"] == 0.0 and found["wrong"]["in_place"] == 1.0
