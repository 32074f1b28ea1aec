"""The whole matrix on a real GPU, where there is one."""

import importlib.util

import pytest

from tools.overlap import Settings, result_file
from tools.overlap.experiment import run_experiment
from tools.overlap.settings import MIB, REAL_GPU

pytestmark = pytest.mark.gpu


def _why_not() -> str:
    if importlib.util.find_spec("torch") is None:
        return "torch is not installed"
    import torch

    return "" if torch.cuda.is_available() else "no CUDA device"


@pytest.fixture(scope="module")
def report():
    reason = _why_not()
    if reason:
        pytest.skip(reason)
    return run_experiment(Settings(run_mode=REAL_GPU))


@pytest.fixture
def backend():
    reason = _why_not()
    if reason:
        pytest.skip(reason)
    from tools.overlap.cuda import CudaBackend

    made = CudaBackend(Settings(run_mode=REAL_GPU, payload_mib=(64,), matrix_size=1024))
    made.prepare(64 * MIB)
    yield made
    made.close()


def test_the_whole_matrix_runs_and_is_right(report, tmp_path):
    assert report["failure"] is None, report["failure"]
    assert report["decision"] in ("accept_physical_overlap", "tune_overlap_window")
    assert all(case["copy_correct"] and case["compute_correct"] for case in report["cases"])
    assert not any(check["accepted"] for check in report["self_check"])
    result_file.read(result_file.write(report, tmp_path))


def test_provenance_is_complete(report):
    hardware = report["hardware"]
    assert hardware["cuda_available"] is True and hardware["device"] and hardware["cuda"]
    assert hardware["driver"] or hardware["nvidia_smi_reason"]
    assert hardware["async_engine_count"] or hardware["async_engine_count_source"]


def test_profiled_cases_have_kernels_and_copies_in_both_runs(report):
    for case in report["cases"]:
        if case["timeline"]["source"] is None:
            assert case["path_confirmed"] is None and case["timeline"]["reason"]
            continue
        for order in ("serial", "overlap"):
            assert case["timeline"][order]["copy"] and case["timeline"][order]["compute"]
        serial = case["timeline"]["serial"]
        assert serial["compute"][0][0] >= serial["copy"][-1][1]


def test_serial_is_the_sum_of_its_parts(backend):
    import statistics

    units = 64
    copy, compute, serial = (
        statistics.median(backend.run(order, units) for _ in range(15))
        for order in ("copy", "compute", "serial")
    )
    assert serial == pytest.approx(copy + compute, rel=0.15)


def test_a_second_backend_can_be_opened_after_the_first_was_closed(backend):
    from tools.overlap.cuda import CudaBackend

    backend.close()
    again = CudaBackend(Settings(run_mode=REAL_GPU, payload_mib=(16,), matrix_size=512))
    assert again.check("overlap", 2).copy_correct
    again.close()
