"""The CUDA backend's own code on a simulated GPU: dependencies, gate, correctness, evidence, memory."""

import pytest

from tests.overlap.fake_torch import FakeTorch, Gpu
from tests.overlap.simulated import quiet
from tools.overlap import DeviceError, Settings, cuda, cuda_device, kineto, result_file
from tools.overlap.experiment import run_experiment
from tools.overlap.settings import MIB, REAL_GPU


@pytest.fixture(autouse=True)
def no_smi(monkeypatch):
    monkeypatch.setattr(
        cuda_device, "query_smi", lambda fields, selector: (dict.fromkeys(fields), "none here")
    )
    monkeypatch.setattr(cuda_device, "copy_engines", lambda ordinal: (3, "simulated"))


def make(monkeypatch, gpu: Gpu, **settings) -> cuda.CudaBackend:
    monkeypatch.setattr(cuda_device, "load_torch", lambda: FakeTorch(gpu))
    chosen = {"payload_mib": (16,), "matrix_size": 64, **settings}
    backend = cuda.CudaBackend(Settings(run_mode=REAL_GPU, **chosen))
    backend.prepare(16 * MIB)
    return backend


def test_times_are_those_of_the_operations_alone(monkeypatch):
    """16 MiB take 1.6 ms, two products 1.0 ms; enqueueing costs nothing once the gate holds it back."""
    backend = make(monkeypatch, Gpu())
    assert backend.run("empty", 0) == pytest.approx(0.0, abs=1e-9)
    assert backend.run("copy", 0) == pytest.approx(1.6)
    assert backend.run("compute", 2) == pytest.approx(1.0)
    assert backend.run("serial", 2) == pytest.approx(2.6)
    assert backend.run("overlap", 2) == pytest.approx(1.6)
    assert backend.run("overlap", 8) == pytest.approx(4.0)


def test_a_device_that_serialises_shows_no_gain(monkeypatch):
    backend = make(monkeypatch, Gpu(copy_and_compute_share_an_engine=True))
    assert backend.run("overlap", 2) == pytest.approx(backend.run("serial", 2))
    observation = backend.observe(2)
    assert observation.evidence["intervals_intersect"] is False


def test_streams_events_and_buffers_are_made_once(monkeypatch):
    gpu = Gpu()
    backend = make(monkeypatch, gpu)
    made = (gpu.streams_made, gpu.events_made, gpu.device_allocations)
    for order in ("copy", "compute", "serial", "overlap"):
        for _ in range(5):
            backend.run(order, 3)
    assert (gpu.streams_made, gpu.events_made, gpu.device_allocations) == made == (3, 4, 5)


def test_serial_and_overlap_use_the_same_two_streams(monkeypatch):
    gpu = Gpu()
    backend = make(monkeypatch, gpu)
    used = {}
    for order in ("serial", "overlap"):
        gpu.submitted.clear()
        backend.run(order, 2)
        used[order] = [entry for entry in gpu.submitted if "spin" not in entry[0]]
    assert used["serial"] == used["overlap"]
    assert len({stream for _, stream in used["serial"]}) == 2


def test_a_gate_that_opens_early_is_lengthened_and_the_run_repeated(monkeypatch):
    """A slow host needs 5 ms to fill the queues; the first gate is 2 ms."""
    gpu = Gpu(submit_ms=0.5)
    backend = make(monkeypatch, gpu)
    assert backend.run("overlap", 4) == pytest.approx(2.0)
    assert backend.state()["gate_misses"] >= 1


def test_a_host_that_stumbles_now_and_then_is_forgiven(monkeypatch):
    """Every third run meets a pause of 40 ms: it is repeated, and the gate that is kept stays short."""
    gpu = Gpu()
    backend = make(monkeypatch, gpu)
    for number in range(60):
        if number % 3 == 0:
            gpu.pauses = [40.0]
        assert backend.run("overlap", 4) == pytest.approx(2.0)
    assert backend.state()["gate_misses"] >= 20
    began = gpu.host
    backend.run("empty", 0)
    assert gpu.host - began <= cuda.KEPT_GATE_MS + 1


def test_a_profiler_that_slows_the_host_gets_a_longer_gate(monkeypatch):
    gpu = Gpu()
    backend = make(monkeypatch, gpu)
    gpu.profiled_pause_ms = 15.0
    assert backend.observe(2).evidence["intervals_intersect"] is True
    gpu.profiled_pause_ms = 300.0
    observation = backend.observe(2)
    assert observation.timeline.source is None and "gate opened" in observation.timeline.reason


@pytest.mark.parametrize("order", ["copy", "overlap"])
def test_a_copy_that_blocks_the_host_is_an_environment_fault(monkeypatch, order):
    backend = make(monkeypatch, Gpu(copy_blocks_host=True))
    with pytest.raises(DeviceError) as caught:
        backend.run(order, 2)
    assert caught.value.kind == "copy_blocks_host"


@pytest.mark.parametrize("order", ["serial", "overlap"])
def test_checks_pass_on_a_right_device_and_can_be_repeated(monkeypatch, order):
    backend = make(monkeypatch, Gpu())
    for _ in range(3):
        check = backend.check(order, 2)
        assert check.copy_correct and check.compute_correct


def test_lost_copies_and_wrong_products_are_found(monkeypatch):
    lost = make(monkeypatch, Gpu(lose_copies=True)).check("overlap", 2)
    assert (lost.copy_correct, lost.compute_correct) == (False, True)
    wrong = make(monkeypatch, Gpu(wrong_products=True)).check("overlap", 2)
    assert (wrong.copy_correct, wrong.compute_correct) == (True, False)
    assert wrong.relative_error > wrong.tolerance


def test_a_consumer_that_does_not_wait_for_the_copy_reads_poison(monkeypatch):
    """The check itself is checked: take its dependency away, and the simulated hardware gives stale bytes."""
    backend = make(monkeypatch, Gpu())
    original = backend._gate_stream.wait_event
    monkeypatch.setattr(
        backend._gate_stream,
        "wait_event",
        lambda event: None if event is backend._copy_done else original(event),
        raising=False,
    )
    assert not backend.check("overlap", 2).copy_correct


def test_observation_comes_from_the_profiler(monkeypatch):
    observation = make(monkeypatch, Gpu()).observe(2)
    assert observation.evidence == {
        "distinct_queues": True, "pinned_source": True, "intervals_intersect": True
    }  # fmt: skip
    assert observation.timeline.source == "profiler"
    assert observation.timeline.overlap == {"copy": [(0.0, 1.6)], "compute": [(0.0, 0.5), (0.5, 1.0)]}
    assert observation.timeline.serial["compute"] == [(1.6, 2.1), (2.1, 2.6)]


def test_a_first_session_that_sees_nothing_is_repeated(monkeypatch):
    backend = make(monkeypatch, Gpu(blind_sessions=1))
    assert backend.observe(2).timeline.source == "profiler"
    blind = make(monkeypatch, Gpu(blind_sessions=99)).observe(2)
    assert blind.timeline.source is None and "CUPTI" in blind.timeline.reason


def test_events_lost_at_the_start_cost_only_the_throw_away_run(monkeypatch):
    observation = make(monkeypatch, Gpu(dropped_kernels=3)).observe(4)
    assert len(observation.timeline.overlap["compute"]) == 4


def test_events_lost_from_the_run_itself_are_no_evidence(monkeypatch):
    """The throw-away run has 3 events; a loss of 6 reaches the gate, the copy and a product of the run."""
    observation = make(monkeypatch, Gpu(dropped_kernels=6)).observe(4)
    assert observation.timeline.source is None
    assert observation.evidence["intervals_intersect"] is None


def test_a_source_that_the_profiler_calls_pageable_is_not_pinned(monkeypatch):
    original = kineto.device_run

    def pageable(events, units):
        return original([{**e, "name": e["name"].replace("Pinned", "Pageable")} for e in events], units)

    monkeypatch.setattr(kineto, "device_run", pageable)
    assert make(monkeypatch, Gpu()).observe(2).evidence["pinned_source"] is False


def test_each_check_changes_what_is_copied_and_computed(monkeypatch):
    backend = make(monkeypatch, Gpu())
    source, left = backend._buffers.source.data.copy(), backend._buffers.left.data.copy()
    backend.check("serial", 1)
    assert (backend._buffers.source.data != source).all() and (backend._buffers.left.data != left).all()


@pytest.mark.parametrize(
    ("seen", "missing"),
    [((), "copy and no kernel"), (("kernel",), "copy"), (("gpu_memcpy",), "gate and no kernel")],
)
def test_without_cupti_the_path_is_null_with_a_reason(monkeypatch, seen, missing):
    observation = make(monkeypatch, Gpu(profiler_sees=seen)).observe(2)
    assert observation.timeline.source is None and missing in observation.timeline.reason
    assert observation.evidence["intervals_intersect"] is None


def test_a_profiler_that_fails_is_a_reason_and_no_failure(monkeypatch):
    backend = make(monkeypatch, Gpu())

    def broken(activities):
        raise RuntimeError("CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED")

    backend._torch.profiler.profile = broken
    observation = backend.observe(2)
    assert "MULTIPLE_SUBSCRIBERS" in observation.timeline.reason


def test_the_pageable_control_is_reported(monkeypatch):
    control = make(monkeypatch, Gpu()).control(2)
    assert control["measured"] and control["source_pinned"] is False
    assert control["issue_order"] == "compute, then copy"
    assert len(control["overlap_ms"]) == len(control["copy_ms"]) == 5


def test_a_t4_gets_float16_and_an_a100_bfloat16(monkeypatch):
    t4 = make(monkeypatch, Gpu(capability=(7, 5))).describe()["workload"]
    a100 = make(monkeypatch, Gpu(capability=(8, 0))).describe()["workload"]
    assert (t4["compute_dtype"], a100["compute_dtype"]) == ("float16", "bfloat16")
    assert "no bfloat16 in hardware" in t4["compute_dtype_reason"]


def test_memory_that_runs_out_shrinks_the_matrix_once_and_says_so(monkeypatch):
    backend = make(monkeypatch, Gpu(fail_allocations=1), matrix_size=128)
    described = backend.describe()
    assert described["workload"]["matrix_size_used"] == 64
    assert "shrunk to 64" in described["notes"][0]


def test_a_small_device_shrinks_before_it_fails(monkeypatch):
    needed_at_256 = 2 * 16 * MIB + 256 * 256 * 30 + 128 * MIB
    backend = make(monkeypatch, Gpu(memory_bytes=needed_at_256), matrix_size=256)
    assert backend.describe()["workload"]["matrix_size_used"] == 128


def test_the_matrix_is_never_shrunk_twice(monkeypatch):
    needed_at_256 = 2 * 16 * MIB + 256 * 256 * 30 + 128 * MIB
    with pytest.raises(DeviceError, match="already at 128") as caught:
        make(monkeypatch, Gpu(memory_bytes=needed_at_256, fail_allocations=1), matrix_size=256)
    assert caught.value.kind == "out_of_memory"


def test_memory_that_runs_out_twice_is_an_environment_fault(monkeypatch):
    with pytest.raises(RuntimeError, match="out of memory"):
        make(monkeypatch, Gpu(fail_allocations=2), matrix_size=128)


def test_close_frees_everything_and_may_be_repeated(monkeypatch):
    backend = make(monkeypatch, Gpu())
    backend.close()
    backend.close()
    assert not hasattr(backend._buffers, "_all_source") and not hasattr(backend._buffers, "product")


@pytest.mark.parametrize(
    ("gpu", "kind"),
    [
        (Gpu(cuda=None), "torch_without_cuda"),
        (Gpu(init_error="Found no NVIDIA driver on your system. Please check"), "no_driver"),
        (
            Gpu(init_error="The NVIDIA driver on your system is too old (found version 11040)"),
            "driver_too_old",
        ),
        (Gpu(init_error="No CUDA GPUs are available"), "no_gpu"),
        (Gpu(init_error="Unexpected error from cudaGetDeviceCount()"), "cuda_init_failed"),
        (Gpu(capability=(6, 0)), "unsupported_architecture"),
        (Gpu(kernel_error="CUDA error: no kernel image is available"), "unsupported_architecture"),
        (Gpu(kernel_error="CUDA error: all CUDA-capable devices are busy or unavailable"), "gpu_busy"),
        (Gpu(kernel_error="CUDA error: uncorrectable ECC error encountered"), "hardware_fault"),
        (Gpu(fail_allocations=99), "out_of_memory"),
        (Gpu(copy_blocks_host=True), "copy_blocks_host"),
        (Gpu(kernel_error="a fault of ours"), "internal_error"),
    ],
)
def test_each_broken_machine_gets_its_own_cause_and_next_step(monkeypatch, tmp_path, gpu, kind):
    monkeypatch.setattr(cuda_device, "load_torch", lambda: FakeTorch(gpu))
    settings = Settings(run_mode=REAL_GPU, payload_mib=(1,), matrix_size=64, repeat_steps=8)
    report = run_experiment(settings, progress=quiet)
    assert report["failure"]["kind"] == kind, report["failure"]["traceback"]
    assert report["evidence_level"] == "failed_real_gpu_attempt"
    wanted = "not_measured" if kind == "internal_error" else "reject_until_environment_fixed"
    assert report["decision"] == wanted
    assert report["decision_reason"]["zh"] and report["decision_reason"]["en"]
    result_file.write(report, tmp_path)


def test_the_whole_experiment_on_the_simulated_gpu(monkeypatch, tmp_path):
    gpu = Gpu(matmul_ms=0.02)
    monkeypatch.setattr(cuda_device, "load_torch", lambda: FakeTorch(gpu))
    settings = Settings(run_mode=REAL_GPU, payload_mib=(1, 4), matrix_size=64, repeat_steps=8, warmup_steps=1)
    report = run_experiment(settings, progress=quiet)
    assert report["failure"] is None
    assert report["decision"] == "accept_physical_overlap"
    assert {case["path_confirmed"] for case in report["cases"]} == {True}
    for case in report["cases"]:
        assert case["efficiency"] == pytest.approx(1.0, abs=1e-6)
    assert report["link"]["bandwidth_gbps"] == pytest.approx(8 * MIB / 0.1 / 1e6, rel=1e-6)
    assert report["hardware"]["async_engine_count"] == 3
    result_file.write(report, tmp_path)
