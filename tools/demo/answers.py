"""What the sample class writes into its answer cells: right in several styles, wrong in typical ways."""

EXPOSED_LOOPS = """
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = check_interval("transfer_interval", transfer_interval)
    windows = [check_interval("cover_intervals", window) for window in cover_intervals]
    hidden_ms = 0.0
    reached = start
    for left, right in sorted(windows):
        left, right = max(left, reached), min(right, end)
        if right > left:
            hidden_ms += right - left
            reached = right
    total_ms = end - start
    return {"total_ms": total_ms, "hidden_ms": hidden_ms, "exposed_ms": total_ms - hidden_ms}
"""

EXPOSED_SLICES = """
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = transfer_interval
    inner = {edge for window in cover_intervals for edge in window if start < edge < end}
    edges = sorted({start, end} | inner)
    hidden = 0.0
    for left, right in zip(edges, edges[1:]):
        if any(a <= left and right <= b for a, b in cover_intervals):
            hidden += right - left
    return {"total_ms": end - start, "hidden_ms": hidden, "exposed_ms": end - start - hidden}
"""

EXPOSED_NUMPY = """
import numpy as np


def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = transfer_interval
    windows = np.array(cover_intervals, dtype=float).reshape(-1, 2).clip(start, end)
    windows = windows[windows[:, 0].argsort()]
    reached = np.maximum.accumulate(np.concatenate([[start], windows[:, 1]]))[:-1]
    hidden_ms = float(np.maximum(windows[:, 1] - np.maximum(windows[:, 0], reached), 0).sum())
    return {"total_ms": end - start, "hidden_ms": hidden_ms, "exposed_ms": end - start - hidden_ms}
"""

EXPOSED_COUNTED_TWICE = """
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = transfer_interval
    hidden_ms = sum(max(0.0, min(end, right) - max(start, left)) for left, right in cover_intervals)
    return {"total_ms": end - start, "hidden_ms": hidden_ms, "exposed_ms": end - start - hidden_ms}
"""

EXPOSED_NOT_CLIPPED = """
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = transfer_interval
    merged = []
    for left, right in sorted(window for window in cover_intervals if window[1] > start and window[0] < end):
        if not merged or left > merged[-1][1]:
            merged.append([left, right])
        else:
            merged[-1][1] = max(merged[-1][1], right)
    hidden_ms = sum(right - left for left, right in merged)
    return {"total_ms": end - start, "hidden_ms": hidden_ms, "exposed_ms": end - start - hidden_ms}
"""

EXPOSED_ENDLESS = """
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = transfer_interval
    hidden_ms, now = 0.0, start
    while now < end:
        if any(left <= now < right for left, right in cover_intervals):
            hidden_ms += 1
    return {"total_ms": end - start, "hidden_ms": hidden_ms, "exposed_ms": end - start - hidden_ms}
"""

EXPOSED_ALWAYS_EQUAL = """
class Agreeable(dict):
    def __eq__(self, other):
        return True

    def __getitem__(self, key):
        return Agreeable()


def compute_exposed_interval(transfer_interval, cover_intervals):
    return Agreeable()
"""

_ESTIMATE = """
def estimate_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms, cover_intervals):
    check_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms)
    {body}
    end_ms = start_ms + transfer_ms
    exposure = compute_exposed_interval((start_ms, end_ms), cover_intervals)
    ratio = exposure["hidden_ms"] / transfer_ms if transfer_ms else 1.0
    return {{
        "transfer_ms": transfer_ms, "start_ms": start_ms, "end_ms": end_ms,
        "exposed_ms": exposure["exposed_ms"], "overlap_ratio": ratio,
    }}
"""

ESTIMATE = _ESTIMATE.format(
    body="transfer_ms = fixed_latency_ms + payload_bytes / (bandwidth_gbps * 125_000)"
)
ESTIMATE_BITS = _ESTIMATE.format(
    body="transfer_ms = fixed_latency_ms + payload_bytes * 8 / bandwidth_gbps / 1e6"
)
ESTIMATE_NO_EIGHT = _ESTIMATE.format(
    body="transfer_ms = fixed_latency_ms + payload_bytes / (bandwidth_gbps * 1_000_000)"
)
ESTIMATE_NO_LATENCY = _ESTIMATE.format(body="transfer_ms = payload_bytes / (bandwidth_gbps * 125_000)")
ESTIMATE_SYNTAX_ERROR = ESTIMATE.replace("cover_intervals):", "cover_intervals)", 1)

VALIDATE = """
def validate_handoff_state(handoff_state, expected_request_id, expected_version):
    missing, incompatible = [], []
    for name in ("payload_ready", "metadata_ready", "ownership_ready"):
        if handoff_state.get(name) is not True:
            missing.append(name)
    if handoff_state.get("request_id") != expected_request_id:
        incompatible.append("request_id")
    if handoff_state.get("version") != expected_version:
        incompatible.append("version")
    return {"ready": missing + incompatible == [], "missing": missing, "incompatible": incompatible}
"""

VALIDATE_NEWER_IS_FINE = VALIDATE.replace(
    'handoff_state.get("version") != expected_version', 'handoff_state.get("version", -1) < expected_version'
)

VALIDATE_NO_ID = VALIDATE.replace('handoff_state.get("request_id") != expected_request_id', "False")

PLAN = """
def plan_decode_start(validation, ready_at_ms, deadline_ms):
    if validation["incompatible"]:
        return "recompute"
    if validation["ready"]:
        return "ready"
    return "fallback" if ready_at_ms > deadline_ms else "wait"
"""

PLAN_STRICT = PLAN.replace("ready_at_ms > deadline_ms", "ready_at_ms >= deadline_ms")
PLAN_EARLIEST = PLAN.replace("ready_at_ms > deadline_ms", "ready_at_ms < deadline_ms")
