"""Measured timelines as a trace for Perfetto (ui.perfetto.dev) or chrome://tracing."""

import json
from pathlib import Path
from typing import Any

from tools.overlap.errors import ResultFileError

_TRACKS = {"copy": 1, "compute": 2}


def trace_events(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return trace events, times in microseconds: a process for each run of a case, a thread for each queue.

    Example:
        >>> trace_events({"cases": []})
        []
    """
    events: list[dict[str, Any]] = []
    process = 0
    for case in report["cases"]:
        for order in ("serial", "overlap"):
            run = case["timeline"][order]
            if run is None:
                continue
            process += 1
            name = f"{case['payload_mib']} MiB, window {case['window_over_copy']:.2f} x copy, {order}"
            events.append(_name("process_name", process, 0, name))
            for kind, thread in _TRACKS.items():
                events.append(_name("thread_name", process, thread, kind))
                events += [
                    {
                        "name": kind, "cat": case["timeline"]["source"], "ph": "X", "pid": process,
                        "tid": thread, "ts": start * 1e3, "dur": (end - start) * 1e3,
                    }
                    for start, end in run[kind]
                ]  # fmt: skip
    return events


def write_trace(report: dict[str, Any], path: Path) -> int:
    """Write the trace and return how many operations are in it.

    Raises:
        ResultFileError: If the result holds no timeline, or the file cannot be written.
    """
    events = trace_events(report)
    operations = len([event for event in events if event["ph"] == "X"])
    if not operations:
        raise ResultFileError("no trace: this result holds no measured timeline")
    partial = path.with_name(path.name + ".partial")
    try:
        partial.write_text(json.dumps({"traceEvents": events, "displayTimeUnit": "ms"}), encoding="utf-8")
        partial.replace(path)
    except OSError as problem:
        raise ResultFileError(f"{path} cannot be written: {problem.strerror or problem}") from problem
    return operations


def _name(what: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"name": what, "ph": "M", "pid": process, "tid": thread, "args": {"name": name}}
