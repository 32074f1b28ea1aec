"""One run from settings to a report. Whatever happens, there is a report with one decision."""

from collections.abc import Callable
from typing import Any

from tools.overlap import analysis, estimates, failures, provenance
from tools.overlap.backends import Backend
from tools.overlap.decision import decide
from tools.overlap.measurement import measure_overhead, measure_payload
from tools.overlap.settings import CPU_THREADS, DRY_RUN, REAL_GPU, Settings

SCHEMA_VERSION = "inference-mechanism-gpu/v2"
SEMANTIC_ID = "INF-SERVING-OVERLAP"
Progress = Callable[[str], None]
BackendFactory = Callable[[Settings], Backend]


def open_backend(settings: Settings) -> Backend:
    """Return the backend of a mode that measures.

    Raises:
        DeviceError: If the machine cannot run it.
    """
    if settings.run_mode == CPU_THREADS:
        from tools.overlap.cpu_threads import CpuThreadsBackend

        return CpuThreadsBackend(settings)
    from tools.overlap.cuda import CudaBackend

    return CudaBackend(settings)


def run_experiment(
    settings: Settings, *, factory: BackendFactory = open_backend, progress: Progress = print
) -> dict[str, Any]:
    """Measure what the settings say and return the report, not yet written.

    An interrupted or failed run keeps the payloads that were finished.

    Args:
        settings: What to measure.
        factory: Makes the backend; tests give a simulated one.
        progress: Called with one line now and then.

    Returns:
        A report as in `result.schema.json`.
    """
    report = _blank(settings)
    if settings.run_mode == DRY_RUN:
        return _finished(report, settings)
    cases: list[dict[str, Any]] = []
    self_checks: list[dict[str, Any]] = []
    stage, backend = "opening the device", None
    try:
        backend = factory(settings)
        _merge_description(report, backend)
        stage = "measuring the overhead"
        overhead = measure_overhead(backend)
        report["overhead"] = {"empty_ms": overhead, "empty_median_ms": estimates.median_ms(overhead)}
        report["device_state"].append({"when": "before", **backend.state()})
        for payload_mib in settings.payload_mib:
            stage = f"measuring {payload_mib} MiB"
            measured = measure_payload(backend, settings, payload_mib, progress)
            cases += measured["cases"]
            self_checks.append(measured["self_check"])
            report["pageable_control"].append(measured["pageable_control"])
            report["device_state"].append({"when": f"after {payload_mib} MiB", **backend.state()})
        stage = "closing the device"
        backend.close()
    except (Exception, KeyboardInterrupt) as problem:
        report["failure"] = failures.describe(problem, stage)
        if report["failure"]["kind"] in failures.WITHOUT_CUDA and settings.run_mode == REAL_GPU:
            report["hardware"]["cuda_available"] = False
        if backend is not None:
            _close_after_failure(backend, report)
    report["cases"] = analysis.derive_cases(cases, settings.seed)
    report["self_check"] = analysis.derive_self_check(self_checks, settings.seed, len(cases))
    report["link"] = analysis.derive_link(cases)
    report["statistics"]["family"] = len(cases)
    return _finished(report, settings)


def _close_after_failure(backend: Backend, report: dict[str, Any]) -> None:
    try:
        backend.close()
    except Exception as problem:  # the first failure is the one to report
        report["notes"].append(f"closing the device failed too: {type(problem).__name__}: {problem}")


def _merge_description(report: dict[str, Any], backend: Backend) -> None:
    described = backend.describe()
    report["hardware"].update(described["hardware"])
    report["workload"].update(described["workload"])
    report["notes"] += described["notes"]


def _blank(settings: Settings) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "semantic_id": SEMANTIC_ID,
        "run_mode": settings.run_mode,
        "run_label": settings.run_label,
        "environment_profile": settings.environment_profile,
        "started_at": provenance.now(),
        "finished_at": None,
        "framework": provenance.framework(),
        "hardware": {"cuda_available": None, "device": None, **provenance.machine()},
        "source": provenance.source(),
        "workload": {
            "payload_mib": list(settings.payload_mib),
            "matrix_size": settings.matrix_size,
            "warmup_steps": settings.warmup_steps,
            "repeat_steps": settings.repeat_steps,
            "seed": settings.seed,
            "window_ratios": list(settings.window_ratios),
        },
        "statistics": {
            "p95": estimates.P95_DEFINITION,
            "ratio": estimates.RATIO_DEFINITION,
            "accept_below": analysis.ACCEPT_BELOW,
            "family": 0,
        },
        "overhead": None,
        "device_state": [],
        "cases": [],
        "self_check": [],
        "pageable_control": [],
        "link": None,
        "notes": [],
        "failure": None,
        "evidence_level": None,
        "decision": None,
        "decision_reason": None,
    }


def _finished(report: dict[str, Any], settings: Settings) -> dict[str, Any]:
    verdict = decide(settings.run_mode, report["cases"], report["self_check"], report["failure"])
    report["evidence_level"] = verdict.evidence_level
    report["decision"], report["decision_reason"] = verdict.decision, verdict.reason
    report["finished_at"] = provenance.now()
    return report
