import subprocess
import sys
from types import SimpleNamespace

import pytest

from tools.overlap import DeviceError, cuda_device, failures, kineto


@pytest.mark.parametrize(
    ("capability", "architectures", "supported"),
    [
        ((6, 0), ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"], False),
        ((7, 5), ["sm_75", "sm_80"], True),
        ((8, 9), ["sm_80", "sm_90"], True),
        ((8, 0), ["sm_86"], False),
        ((9, 0), ["sm_90a"], True),
        ((10, 0), ["sm_90a"], False),
        ((12, 0), ["sm_120"], True),
        ((12, 1), ["sm_120"], True),
        ((12, 0), ["sm_90", "compute_90"], True),
        ((6, 0), ["compute_70"], False),
        ((10, 3), ["sm_100f"], True),
        ((6, 0), [], True),
        ((6, 0), ["gfx90a"], False),
    ],
)
def test_architectures_of_a_wheel(capability, architectures, supported):
    assert cuda_device.architecture_supported(capability, architectures) is supported


def smi(monkeypatch, answer) -> list[list[str]]:
    asked = []

    def run(command, **options):
        asked.append(command)
        return answer(command)

    monkeypatch.setattr(subprocess, "run", run)
    return asked


def done(out: str = "", error: str = "", code: int = 0) -> SimpleNamespace:
    return SimpleNamespace(stdout=out, stderr=error, returncode=code)


def test_smi_values_keep_their_types_and_absent_ones_are_null(monkeypatch):
    asked = smi(monkeypatch, lambda command: done("Tesla T4, 535.104, 3, 16, [N/A], 70.00\n"))
    fields = ("name", "driver_version", "gen", "width", "mig", "power")
    values, reason = cuda_device.query_smi(fields, "GPU-1")
    assert list(values.values()) == ["Tesla T4", "535.104", 3, 16, None, 70.0]
    assert reason == "" and asked[0][-2:] == ["-i", "GPU-1"]


def test_a_field_that_smi_does_not_know_is_null_and_the_rest_is_kept(monkeypatch):
    def answer(command):
        if "old" in command[1]:
            return done('Field "old" is not a valid field to query.\n', code=2)
        return done("1, 2\n")

    asked = smi(monkeypatch, answer)
    values, reason = cuda_device.query_smi(("a", "old", "b"), "GPU-1")
    assert values == {"a": 1, "old": None, "b": 2} and reason == "" and len(asked) == 2


def test_without_smi_everything_is_null_with_a_reason(monkeypatch):
    def answer(command):
        raise FileNotFoundError("nvidia-smi")

    smi(monkeypatch, answer)
    values, reason = cuda_device.query_smi(("a",), "GPU-1")
    assert values == {"a": None} and "could not be run" in reason


def test_smi_that_fails_otherwise_gives_its_first_line(monkeypatch):
    smi(
        monkeypatch,
        lambda command: done("", "Failed to initialize NVML: Driver/library version mismatch\n", 18),
    )
    assert "version mismatch" in cuda_device.query_smi(("a",), "GPU-1")[1]


def test_driver_versions_stay_text(monkeypatch):
    smi(monkeypatch, lambda command: done("550.54.15\n"))
    assert cuda_device.query_smi(("driver_version",), "GPU-1")[0] == {"driver_version": "550.54.15"}


@pytest.mark.parametrize(
    ("mask", "names"),
    [
        ("0x0", []),
        (1, ["gpu_idle"]),
        ("0x24", ["sw_power_cap", "sw_thermal_slowdown"]),
        (None, None),
        ("Active", None),
    ],
)
def test_throttle_reasons(mask, names):
    assert cuda_device.throttle_reasons(mask) == names


def bindings(monkeypatch, answer) -> None:
    runtime = SimpleNamespace(
        cudaDeviceAttr=SimpleNamespace(cudaDevAttrAsyncEngineCount=40), cudaDeviceGetAttribute=answer
    )
    package = SimpleNamespace(runtime=runtime)
    monkeypatch.setitem(sys.modules, "cuda", SimpleNamespace(bindings=package))
    monkeypatch.setitem(sys.modules, "cuda.bindings", package)


def test_copy_engines_from_the_bindings(monkeypatch):
    bindings(monkeypatch, lambda attribute, ordinal: (0, 3) if attribute == 40 else (1, 0))
    assert cuda_device.copy_engines(0) == (3, "cuda-bindings")


class Driver:
    """What `ctypes` shows of the CUDA driver."""

    def __init__(self, status: int = 0) -> None:
        self.status = status

    def cuInit(self, flags):  # noqa: N802 - the driver's name
        return 0

    def cuDeviceGet(self, device, ordinal):  # noqa: N802 - the driver's name
        return 0

    def cuDeviceGetAttribute(self, count, attribute, device):  # noqa: N802 - the driver's name
        assert attribute == 40
        count._obj.value = 2
        return self.status


@pytest.mark.parametrize(("status", "wanted"), [(0, (2, "the CUDA driver")), (999, (None, "status 999"))])
def test_copy_engines_from_the_driver_where_there_are_no_bindings(monkeypatch, status, wanted):
    bindings(monkeypatch, lambda attribute, ordinal: (35, 0))
    monkeypatch.setattr(cuda_device.ctypes, "CDLL", lambda name: Driver(status))
    count, source = cuda_device.copy_engines(0)
    assert count == wanted[0] and wanted[1] in source


def test_copy_engines_are_null_with_a_reason_where_nothing_can_be_asked(monkeypatch):
    bindings(monkeypatch, lambda attribute, ordinal: (35, 0))

    def missing(name):
        raise OSError("libcuda.so.1: cannot open shared object file")

    monkeypatch.setattr(cuda_device.ctypes, "CDLL", missing)
    count, source = cuda_device.copy_engines(0)
    assert count is None and "libcuda" in source


def test_sharing_is_read_from_name_facts_and_environment(monkeypatch):
    monkeypatch.setenv("CUDA_MPS_PIPE_DIRECTORY", "/tmp/mps")
    shared = cuda_device.sharing("NVIDIA A100 MIG 1g.5gb", {"driver_model.current": "WDDM"})
    assert shared["mig"] and shared["mps"] and shared["wddm"]
    monkeypatch.delenv("CUDA_MPS_PIPE_DIRECTORY")
    assert len(cuda_device.sharing_notes(shared)) == 2
    assert cuda_device.sharing_notes({"mig": False, "wddm": False, "max_connections": "8"}) == []
    assert not cuda_device.sharing("NVIDIA H100", {"mig.mode.current": "Disabled"})["mig"]


def test_torch_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(DeviceError) as caught:
        cuda_device.load_torch()
    assert caught.value.kind == "no_torch"


def test_an_old_torch_without_the_argument_for_emulation():
    cuda = SimpleNamespace(get_device_capability=lambda: (7, 5), is_bf16_supported=lambda: True)
    assert cuda_device.choose_dtype(SimpleNamespace(cuda=cuda))[0] == "float16"


@pytest.mark.parametrize(
    ("problem", "kind"),
    [
        (RuntimeError("CUDA error: out of memory"), "out_of_memory"),
        (RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate"), "out_of_memory"),
        (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate`"), "out_of_memory"),
        (RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"), "out_of_memory"),
        (RuntimeError("CUDA error: an illegal memory access was encountered"), "internal_error"),
        (RuntimeError("CUDA error: no kernel image is available for execution"), "unsupported_architecture"),
        (RuntimeError("CUDA driver version is insufficient for CUDA runtime version"), "driver_too_old"),
        (ValueError("out of memory"), "internal_error"),
        (ZeroDivisionError("division by zero"), "internal_error"),
        (DeviceError("gpu_busy", "busy"), "gpu_busy"),
    ],
)
def test_failures_are_classified_by_type_and_text(problem, kind):
    assert failures.classify(problem) == kind


def test_every_cause_has_a_next_step_in_both_languages_and_ours_are_no_environment():
    for kind, cause in failures.CAUSES.items():
        assert cause.zh and cause.en and cause.zh != cause.en
        assert cause.is_environment == (kind not in ("interrupted", "internal_error"))


def event(cat: str, name: str, ts: float, dur: float, stream: int | None = 7) -> dict:
    return {"ph": "X", "cat": cat, "name": name, "ts": ts, "dur": dur, "args": {"stream": stream}}


GATE = event("kernel", "at::cuda::(anonymous namespace)::spin_kernel(long)", 0, 2000, 15)
TRACE = [
    event("kernel", "nvjet_hsh_128x256", -400, 22, 11),
    event("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", -410, 100, 7),
    GATE,
    event("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 2010, 1000, 7),
    event("kernel", "nvjet_hsh_128x256", 2005.5, 22, 11),
    event("kernel", "nvjet_hsh_128x256", 2028, 22, 11),
    event("cpu_op", "aten::copy_", 100, 10),
    event("cuda_runtime", "cudaMemcpyAsync", 101, 8),
    event("gpu_memset", "Memset (Device)", 2000, 1),
    {"ph": "i", "cat": "kernel", "name": "an instant", "ts": 1},
]


def test_a_trace_gives_copy_and_kernels_from_the_earlier_start():
    run, reason = kineto.device_run(TRACE, 2)
    assert reason == ""
    assert run["copy"] == [(0.0045, 1.0045)]
    assert run["compute"] == [(0.0, 0.022), (0.0225, 0.0445)]
    assert run["pinned"] and run["streams_differ"]


COPY = event("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 2001, 5, 7)


@pytest.mark.parametrize("stream", [7, None])
def test_one_stream_or_an_unknown_one_is_no_evidence_of_two(stream):
    events = [GATE, COPY, event("kernel", "gemm", 2001, 5, stream)]
    assert kineto.device_run(events, 1)[0]["streams_differ"] is False


def test_a_pageable_source_is_seen():
    pageable = {**COPY, "name": "Memcpy HtoD (Pageable -> Device)"}
    assert kineto.device_run([GATE, pageable, event("kernel", "gemm", 2001, 5, 9)], 1)[0]["pinned"] is False


@pytest.mark.parametrize("events", [[], TRACE[:2], TRACE[:3], TRACE[:4], TRACE[4:6], TRACE[6:]])
def test_a_trace_without_gate_copy_or_kernel_is_null_with_a_reason(events):
    run, reason = kineto.device_run(events, 2)
    assert run is None and "CUPTI" in reason


@pytest.mark.parametrize(
    ("kernels", "units", "whole"), [(4, 4, True), (8, 4, True), (3, 4, False), (7, 4, False)]
)
def test_a_trace_with_lost_kernels_is_no_trace(kernels, units, whole):
    """Each product is one kernel or a few (split-K): the number must be a multiple."""
    run, reason = kineto.device_run(
        [GATE, COPY, *[event("kernel", "gemm", 2001 + i, 1, 9) for i in range(kernels)]], units
    )
    assert (run is not None) == whole and (whole or "lost operations" in reason)


def test_a_second_copy_is_not_this_run():
    run, reason = kineto.device_run([GATE, COPY, COPY, event("kernel", "gemm", 2001, 1, 9)], 1)
    assert run is None and "2 copies" in reason
