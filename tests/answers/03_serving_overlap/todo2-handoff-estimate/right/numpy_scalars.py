# numpy scalars; the ratio through np.divide with a default.
import numpy as np


def estimate_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms, cover_intervals):
    check_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms)
    rate = np.float64(bandwidth_gbps) * 1e9 / (8 * 1e3)
    transfer_ms = np.add(fixed_latency_ms, np.divide(payload_bytes, rate))
    start, end = np.float64(start_ms), np.float64(start_ms) + transfer_ms
    exposure = compute_exposed_interval((start, end), cover_intervals)
    ratio = np.divide(exposure["hidden_ms"], transfer_ms, out=np.ones(()), where=transfer_ms > 0)
    return {
        "transfer_ms": transfer_ms,
        "start_ms": start,
        "end_ms": end,
        "exposed_ms": exposure["exposed_ms"],
        "overlap_ratio": float(ratio),
    }
