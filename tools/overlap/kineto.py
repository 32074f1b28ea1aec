"""From the profiler's trace (Kineto over CUPTI) to the intervals of one run on the device's own clock.

A profiling session may lose its first device events without a word: all of them in a process's first session,
or those whose time stamps seem to lie before the session's start. So each session begins with a throw-away
run, only what follows the last gate counts, and a trace with operations missing is no trace.
"""

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tools.overlap.backends import Intervals
from tools.overlap.intervals import from_zero

SPIN_KERNEL = "spin_kernel"
LEAD_IN_S = 0.02
NO_EVENTS = (
    "the profiler recorded no {missing} on the device: CUPTI is not usable here "
    "(WSL, missing privileges in a container, or another profiler holds it)"
)


def profile_run(torch: Any, lead_in: Callable[[], object], run: Callable[[], object]) -> list[dict[str, Any]]:
    """Run a throw-away run and then the run under the profiler; return the trace's events."""
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with tempfile.TemporaryDirectory(prefix="overlap-trace-") as folder:
        with torch.profiler.profile(activities=activities) as profiler:
            time.sleep(LEAD_IN_S)
            for part in (lead_in, run):
                part()
                torch.cuda.synchronize()
        path = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(path))
        trace = json.loads(path.read_text(encoding="utf-8", errors="replace"))
    events: list[dict[str, Any]] = trace["traceEvents"]
    return events


def device_run(events: list[dict[str, Any]], units: int) -> tuple[dict[str, Any] | None, str]:
    """Pick the last run's copy and kernels out of a trace.

    Args:
        events: Chrome-trace events; times in microseconds.
        units: Matrix products of the run; each is the same number of kernels, one or more.

    Returns:
        ``{"copy": intervals, "compute": intervals, "pinned": bool, "streams_differ": bool}`` with
        intervals in ms from the earlier start, and ""; or None and the reason.
    """
    complete = [event for event in events if event.get("ph") == "X" and "dur" in event]
    spins = [e for e in complete if e.get("cat") == "kernel" and SPIN_KERNEL in e.get("name", "")]
    gate_opens = max((float(e["ts"]) + float(e["dur"]) for e in spins), default=float("-inf"))
    after = [e for e in complete if float(e["ts"]) >= gate_opens]
    copies = [e for e in after if e.get("cat") == "gpu_memcpy" and "HtoD" in e.get("name", "")]
    kernels = [e for e in after if e.get("cat") == "kernel"]
    found = (("gate", spins), ("host-to-device copy", copies), ("kernel", kernels))
    if not all(part for _, part in found):
        return None, NO_EVENTS.format(missing=" and no ".join(word for word, part in found if not part))
    if len(copies) != 1 or len(kernels) % units:
        return None, (
            f"the profiler lost operations: it shows {len(copies)} copies and {len(kernels)} kernels "
            f"for one copy and {units} products"
        )
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
