"""The decision table, every combination."""

from itertools import product

import pytest

from tools.overlap.decision import DECISIONS, decide
from tools.overlap.settings import CPU_THREADS, DRY_RUN, REAL_GPU, RUN_MODES

TRI = (True, False, None)
FAILURES = (
    None,
    {"is_environment": True, "next_step": {"zh": "修", "en": "mend"}},
    {"is_environment": False, "next_step": {"zh": "报", "en": "report"}},
)
COMBINATIONS = list(product(RUN_MODES, FAILURES, (True, False), (True, False), TRI, TRI, TRI, (True, False)))


def case(copy: bool, compute: bool, below: bool | None, path: bool | None, queues: bool) -> dict:
    return {
        "payload_mib": 16,
        "window_over_copy": 1.0,
        "latency_ratio_upper": {True: 0.9, False: 1.0, None: None}[below],
        "copy_correct": copy,
        "compute_correct": compute,
        "below_limit": below,
        "path_confirmed": path,
        "evidence": {"distinct_queues": queues},
    }


def expected(mode, failure, copy, compute, below, path, self_check, queues) -> str:
    """The rules once more, as nested questions."""
    if mode == DRY_RUN:
        return "not_measured"
    if failure:
        return "reject_until_environment_fixed" if failure["is_environment"] else "not_measured"
    if not (copy and compute and queues):
        return "reject_incorrect_path"
    if self_check or not below or path is False:
        return "tune_overlap_window"
    if mode == CPU_THREADS:
        return "accept_cpu_overlap" if path else "tune_overlap_window"
    return "accept_physical_overlap"


@pytest.mark.parametrize("mode", RUN_MODES)
def test_every_combination(mode):
    seen = set()
    for combination in COMBINATIONS:
        if combination[0] != mode:
            continue
        _, failure, copy, compute, below, path, self_check, queues = combination
        cases = [case(copy, compute, below, path, queues)]
        verdict = decide(mode, cases, [{"accepted": self_check}], failure)
        assert verdict.decision == expected(*combination), combination
        assert verdict.decision in DECISIONS
        assert verdict.reason["zh"] and verdict.reason["en"]
        seen.add(verdict.decision)
    assert ("accept_physical_overlap" in seen) == (mode == REAL_GPU)
    assert ("accept_cpu_overlap" in seen) == (mode == CPU_THREADS)


@pytest.mark.parametrize(
    ("mode", "failed", "level"),
    [
        (DRY_RUN, False, "dry_run"),
        (CPU_THREADS, False, "cpu_mechanism_benchmark"),
        (REAL_GPU, False, "local_mechanism_benchmark"),
        (CPU_THREADS, True, None),
        (REAL_GPU, True, "failed_real_gpu_attempt"),
    ],
)
def test_evidence_levels_stay_apart(mode, failed, level):
    assert decide(mode, [], [], FAILURES[1] if failed else None).evidence_level == level


def test_one_good_case_is_enough_and_the_reason_names_it():
    slow, fast = case(True, True, False, True, True), case(True, True, True, True, True)
    fast["payload_mib"] = 64
    verdict = decide(REAL_GPU, [slow, fast], [], None)
    assert verdict.decision == "accept_physical_overlap"
    assert "64 MiB" in verdict.reason["en"] and "64 MiB" in verdict.reason["zh"]


def test_one_wrong_case_is_enough_to_reject():
    good, wrong = case(True, True, True, True, True), case(False, True, True, True, True)
    assert decide(REAL_GPU, [good, wrong], [], None).decision == "reject_incorrect_path"


def test_without_a_profiler_the_reason_says_that_the_path_is_null():
    verdict = decide(REAL_GPU, [case(True, True, True, None, True)], [], None)
    assert "null" in verdict.reason["en"]


def test_a_gain_whose_path_is_disproved_is_told_apart_from_an_unseen_one():
    disproved = decide(CPU_THREADS, [case(True, True, True, False, True)], [], None)
    unseen = decide(CPU_THREADS, [case(True, True, True, None, True)], [], None)
    assert disproved.reason != unseen.reason
