"""From the profiler's trace (Kineto over CUPTI) to the intervals of one run on the device's own clock."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tools.overlap.backends import Intervals
from tools.overlap.intervals import from_zero

SPIN_KERNEL = "spin_kernel"
NO_EVENTS = (
    "the profiler recorded no {missing} on the device: CUPTI is not usable here "
    "(WSL, missing privileges in a container, or another profiler holds it)"
)


def profile_run(torch: Any, run: Callable[[], object]) -> list[dict[str, Any]]:
    """Run once under the profiler and return the trace's events."""
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with tempfile.TemporaryDirectory(prefix="overlap-trace-") as folder:
        with torch.profiler.profile(activities=activities) as profiler:
            run()
            torch.cuda.synchronize()
        path = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(path))
        trace = json.loads(path.read_text(encoding="utf-8", errors="replace"))
    events: list[dict[str, Any]] = trace["traceEvents"]
    return events


def device_run(events: list[dict[str, Any]]) -> tuple[dict[str, Any] | None, str]:
    """Pick the copy and the kernels out of a trace.

    Args:
        events: Chrome-trace events; times in microseconds. The gate's spin kernel is left out.

    Returns:
        ``{"copy": intervals, "compute": intervals, "pinned": bool, "streams_differ": bool}`` with
        intervals in ms from the earlier start, and ""; or None and the reason.
    """
    complete = [event for event in events if event.get("ph") == "X" and "dur" in event]
    copies = [e for e in complete if e.get("cat") == "gpu_memcpy" and "HtoD" in e.get("name", "")]
    kernels = [e for e in complete if e.get("cat") == "kernel" and SPIN_KERNEL not in e.get("name", "")]
    if not copies or not kernels:
        missing = " and no ".join(
            word for word, found in (("host-to-device copy", copies), ("kernel", kernels)) if not found
        )
        return None, NO_EVENTS.format(missing=missing)
    copy, compute = from_zero(_intervals(copies), _intervals(kernels))
    streams = [{e.get("args", {}).get("stream") for e in group} for group in (copies, kernels)]
    return {
        "copy": copy,
        "compute": compute,
        "pinned": all("Pinned" in e["name"] for e in copies),
        "streams_differ": None not in streams[0] | streams[1] and not streams[0] & streams[1],
    }, ""


def _intervals(events: list[dict[str, Any]]) -> Intervals:
    return sorted((float(e["ts"]) / 1e3, (float(e["ts"]) + float(e["dur"])) / 1e3) for e in events)
