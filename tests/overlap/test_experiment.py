import numpy as np
import pytest

from tests.overlap.simulated import SimulatedBackend, quiet
from tools.overlap import DeviceError, Settings, result_file
from tools.overlap.analysis import derive_self_check
from tools.overlap.decision import decide
from tools.overlap.experiment import run_experiment
from tools.overlap.settings import CPU_THREADS, REAL_GPU


def measure(backend: SimulatedBackend, mode: str = REAL_GPU, **settings) -> dict:
    chosen = Settings(run_mode=mode, repeat_steps=settings.pop("repeat_steps", 10), **settings)
    return run_experiment(chosen, factory=lambda _: backend, progress=quiet)


@pytest.mark.parametrize("share", [-0.2, 0.0, 0.3, 0.75, 1.0])
def test_efficiency_and_exposed_time_are_exact_on_a_known_device(share):
    backend = SimulatedBackend(share=share)
    for case in measure(backend)["cases"]:
        copy, compute = case["copy_median_ms"], case["compute_median_ms"]
        assert case["efficiency"] == pytest.approx(share)
        assert case["hidden_ms"] == pytest.approx(share * min(copy, compute))
        assert case["exposed_ms"] == pytest.approx(copy - share * min(copy, compute))
        assert case["achievable_ratio"] == pytest.approx(max(copy, compute) / (copy + compute))
        if share == 1.0:
            assert case["latency_ratio"] == pytest.approx(case["achievable_ratio"])


@pytest.mark.parametrize(
    ("share", "mode", "decision"),
    [
        (1.0, REAL_GPU, "accept_physical_overlap"),
        (1.0, CPU_THREADS, "accept_cpu_overlap"),
        (0.0, REAL_GPU, "tune_overlap_window"),
        (0.0, CPU_THREADS, "tune_overlap_window"),
        (-0.3, REAL_GPU, "tune_overlap_window"),
        (0.03, REAL_GPU, "tune_overlap_window"),
        (0.06, REAL_GPU, "accept_physical_overlap"),
    ],
)
def test_the_decision_follows_the_devices_true_overlap(share, mode, decision):
    """At equal lengths a share s gives the ratio 1 - s/2: the limit 0.98 lies at s = 0.04."""
    assert measure(SimulatedBackend(share=share), mode)["decision"] == decision


def test_a_slowdown_is_reported_and_not_cut_off_at_zero():
    report = measure(SimulatedBackend(share=-0.3))
    assert all(case["hidden_ms"] < 0 and case["latency_ratio"] > 1 for case in report["cases"])


def test_the_matrix_of_cases_is_complete():
    report = measure(SimulatedBackend())
    found = [(case["payload_mib"], case["window"]["target_ratio"]) for case in report["cases"]]
    assert found == [(mib, ratio) for mib in (16, 64, 128) for ratio in (0.25, 0.5, 1.0, 2.0, 4.0, None)]
    assert report["statistics"]["family"] == 18
    assert [check["payload_mib"] for check in report["self_check"]] == [16, 64, 128]


def test_runs_are_interleaved_in_pairs_that_take_turns():
    backend = SimulatedBackend()
    report = measure(backend, payload_mib=(16,), window_ratios=(1.0,), warmup_steps=1, repeat_steps=8)
    timed = [order for order, units in backend.calls if order in ("serial", "overlap")]
    first_rounds = timed[4:20]  # after one warm-up of each order for the two windows
    assert first_rounds == ["serial", "overlap"] * 2 + ["overlap", "serial"] * 2 + (
        ["serial", "overlap"] * 2 + ["overlap", "serial"] * 2
    )
    assert report["cases"][0]["raw"]["first"] == ["serial", "overlap"] * 4


def test_warm_up_comes_before_the_first_timed_run():
    backend = SimulatedBackend()
    measure(backend, payload_mib=(16,), window_ratios=(1.0,), warmup_steps=7, repeat_steps=8)
    orders = [order for order, _ in backend.calls]
    assert orders.count("serial") == 2 * 7 + 2 * 8 + 2 * 8  # warm-up, timed, self-check


def test_drift_does_not_become_a_gain():
    """A machine that slows down by half during the run: pairs see no difference."""
    clock = iter(np.linspace(1.0, 1.5, 100_000))
    report = measure(SimulatedBackend(share=0.0, noise=lambda: next(clock)))
    assert report["decision"] == "tune_overlap_window"
    assert not any(case["below_limit"] for case in report["cases"])


def test_the_self_check_is_not_accepted_on_a_noisy_device_without_overlap():
    random = np.random.default_rng(11)
    report = measure(SimulatedBackend(noise=lambda: 1 + 0.05 * abs(random.standard_t(3))), repeat_steps=20)
    assert [check["accepted"] for check in report["self_check"]] == [False] * 3


def test_an_accepted_self_check_spoils_the_run():
    """The second serial run of each pair was faster: nothing from such a clock is believed."""
    report = measure(SimulatedBackend())
    assert report["decision"] == "accept_physical_overlap"
    raw = report["self_check"]
    raw[0]["second_ms"] = [0.5 * value for value in raw[0]["first_ms"]]
    checked = derive_self_check(raw, seed=42, family=18)
    assert [check["accepted"] for check in checked] == [True, False, False]
    verdict = decide(REAL_GPU, report["cases"], checked, None)
    assert verdict.decision == "tune_overlap_window"
    assert "self-check" in verdict.reason["en"]


def test_wrong_bytes_or_a_wrong_product_reject_whatever_the_speed():
    for flaw in ("copy_correct", "compute_correct"):
        report = measure(SimulatedBackend(**{flaw: False}))
        assert report["decision"] == "reject_incorrect_path"
        assert not any(case[flaw] for case in report["cases"])


@pytest.mark.parametrize(
    ("evidence", "confirmed", "decision"),
    [
        ({"distinct_queues": True, "intervals_intersect": True}, True, "accept_physical_overlap"),
        ({"distinct_queues": True, "intervals_intersect": None}, None, "accept_physical_overlap"),
        ({"distinct_queues": True, "intervals_intersect": False}, False, "tune_overlap_window"),
        ({"distinct_queues": False, "intervals_intersect": True}, False, "reject_incorrect_path"),
        ({"pinned_source": False, "intervals_intersect": True}, False, "reject_incorrect_path"),
        ({}, None, "accept_physical_overlap"),
    ],
)
def test_the_path_is_derived_and_never_a_constant(evidence, confirmed, decision):
    report = measure(SimulatedBackend(evidence=evidence))
    assert {case["path_confirmed"] for case in report["cases"]} == {confirmed}
    assert all(case["path_reason"] for case in report["cases"])
    assert report["decision"] == decision


def test_a_cpu_run_is_accepted_only_with_a_seen_path():
    unseen = {"distinct_queues": True, "more_cpu_than_wall": None}
    assert measure(SimulatedBackend(evidence=unseen), CPU_THREADS)["decision"] == "tune_overlap_window"


def test_too_few_pairs_give_figures_but_no_interval_and_no_acceptance():
    report = measure(SimulatedBackend(), repeat_steps=7)
    for case in report["cases"]:
        assert case["latency_ratio"] < 0.98
        assert (case["latency_ratio_ci95"], case["latency_ratio_upper"], case["below_limit"]) == (None,) * 3
        assert "fewer than 8" in case["interval_reason"]
    assert report["decision"] == "tune_overlap_window"
    assert "REPEAT_STEPS" in report["decision_reason"]["en"]


def test_a_dry_run_measures_nothing_and_opens_nothing():
    def refuse(settings):
        raise AssertionError("a dry run opened a device")

    report = run_experiment(Settings(), factory=refuse, progress=quiet)
    assert (report["decision"], report["evidence_level"], report["cases"]) == ("not_measured", "dry_run", [])
    assert result_file.validate(report) == ""


FAILURES = [
    (DeviceError("no_driver", "no driver"), REAL_GPU, "no_driver", "reject_until_environment_fixed"),
    (DeviceError("no_driver", "no driver"), CPU_THREADS, "no_driver", "reject_until_environment_fixed"),
    (KeyboardInterrupt(), REAL_GPU, "interrupted", "not_measured"),
    (KeyboardInterrupt(), CPU_THREADS, "interrupted", "not_measured"),
    (KeyError("typo"), REAL_GPU, "internal_error", "not_measured"),
    (AssertionError(), REAL_GPU, "internal_error", "not_measured"),
    (MemoryError(), CPU_THREADS, "out_of_memory", "reject_until_environment_fixed"),
]


@pytest.mark.parametrize(("problem", "mode", "kind", "decision"), FAILURES)
def test_a_failure_keeps_the_finished_payloads_and_names_its_cause(problem, mode, kind, decision, tmp_path):
    backend = SimulatedBackend(fail_at={64: problem})
    report = measure(backend, mode)
    assert {case["payload_mib"] for case in report["cases"]} == {16}
    assert (report["failure"]["kind"], report["decision"]) == (kind, decision)
    assert report["failure"]["stage"] == "measuring 64 MiB"
    assert type(problem).__name__ in report["failure"]["traceback"]
    assert report["evidence_level"] == ("failed_real_gpu_attempt" if mode == REAL_GPU else None)
    assert backend.closed == 1
    assert result_file.read(result_file.write(report, tmp_path))["failure"]["kind"] == kind


def test_a_device_that_cannot_be_opened_is_a_result_too():
    def refuse(settings):
        raise DeviceError("torch_without_cuda", "torch is a CPU-only build")

    report = run_experiment(Settings(run_mode=REAL_GPU), factory=refuse, progress=quiet)
    assert report["failure"]["stage"] == "opening the device"
    assert report["decision"] == "reject_until_environment_fixed"
    assert report["decision_reason"] == report["failure"]["next_step"]


def test_a_second_failure_while_closing_does_not_hide_the_first():
    backend = SimulatedBackend(fail_at={16: KeyError("first")})

    def close() -> None:
        raise RuntimeError("second")

    backend.close = close
    report = measure(backend)
    assert report["failure"]["type"] == "KeyError"
    assert any("second" in note for note in report["notes"])
