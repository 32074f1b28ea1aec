"""A result in words: what the command and the notebook print."""

from statistics import median
from typing import Any

from tools.overlap.settings import REAL_GPU


def summary(report: dict[str, Any]) -> str:
    """Return what was run on what, the decision and its reason in both languages, and every note."""
    lines = [
        f"{report['run_mode']} {report['run_label']} at {report['started_at']} on {hardware_name(report)}",
        f"evidence: {report['evidence_level']}; decision: {report['decision']}",
        report["decision_reason"]["zh"],
        report["decision_reason"]["en"],
    ]
    if report["failure"]:
        lines.append(f"{report['failure']['kind']}: {report['failure']['message']}")
    return "\n".join([*lines, *report["notes"]])


def controls(report: dict[str, Any]) -> str:
    """Return the three controls: self-check, empty run, pageable memory; times are medians."""
    keys = ("payload_mib", "latency_ratio", "latency_ratio_upper", "accepted")
    lines = ["self-check, serial against serial:"]
    lines.append(table([{key: check[key] for key in keys} for check in report["self_check"]]))
    if report["overhead"]:
        lines.append(f"empty run: {report['overhead']['empty_median_ms']:.4f} ms")
    for control in report["pageable_control"]:
        start = f"pageable memory, {control['payload_mib']} MiB: "
        if not control["measured"]:
            lines.append(f"{start}not measured ({control['reason']})")
            continue
        figures = ", ".join(
            f"{key} {median(control[key]):.3f}" for key in ("copy_ms", "overlap_ms", "host_enqueue_ms")
        )
        lines.append(f"{start}{figures} (issued: {control['issue_order']})")
    return "\n".join(lines)


def case_table(report: dict[str, Any]) -> str:
    """Return one row for each case; a result without cases says so."""
    if not report["cases"]:
        return "no case was measured"
    return table([_case_row(case) for case in report["cases"]])


def hardware_name(report: dict[str, Any]) -> str:
    """Return a short name of what was measured on."""
    hardware = report["hardware"]
    if report["run_mode"] == REAL_GPU:
        return str(hardware.get("device") or "no usable GPU")
    cores = hardware["cores_usable"]
    return f"{hardware.get('processor') or hardware['machine']}, {cores} core{'s' if cores != 1 else ''}"


def _case_row(case: dict[str, Any]) -> dict[str, Any]:
    return {
        "MiB": case["payload_mib"],
        "window/copy": case["window_over_copy"],
        "serial_ms": case["serial_median_ms"],
        "overlap_ms": case["overlap_median_ms"],
        "ratio": ratio_text(case),
        "upper": case["latency_ratio_upper"] if case["latency_ratio_upper"] is not None else "-",
        "achievable": case["achievable_ratio"],
        "efficiency": case["efficiency"],
        "exposed_ms": case["exposed_ms"],
        "path": {True: "yes", False: "no", None: "null"}[case["path_confirmed"]],
    }


def ratio_text(case: dict[str, Any]) -> str:
    """Return a case's ratio, with its interval where there is one."""
    interval = case["latency_ratio_ci95"]
    text = f"{case['latency_ratio']:.3f}"
    return text if interval is None else f"{text} [{interval[0]:.3f}, {interval[1]:.3f}]"


def table(rows: list[dict[str, Any]]) -> str:
    """Return rows as aligned text, floats with three decimals.

    Example:
        >>> print(table([{"payload_mib": 16, "error_ms": 0.5}]))
        payload_mib  error_ms
                 16     0.500
    """
    if not rows:
        return "nothing to compare"
    names = list(rows[0])
    cells = [[f"{v:.3f}" if isinstance(v, float) else str(v) for v in row.values()] for row in rows]
    widths = [max(len(name), *(len(row[i]) for row in cells)) for i, name in enumerate(names)]
    lines = [[name.rjust(width) for name, width in zip(names, widths, strict=True)]]
    lines += [[cell.rjust(width) for cell, width in zip(row, widths, strict=True)] for row in cells]
    return "\n".join("  ".join(line).rstrip() for line in lines)
