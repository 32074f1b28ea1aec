# Moves the caller's windows to the start of the transfer when they are lists.
def estimate_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms, cover_intervals):
    check_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms)
    bytes_per_ms = bandwidth_gbps * 1e9 / 8 / 1000
    transfer_ms = fixed_latency_ms + payload_bytes / bytes_per_ms
    interval = (start_ms, start_ms + transfer_ms)
    for window in cover_intervals:
        if isinstance(window, list):
            window[0], window[1] = window[0] - start_ms, window[1] - start_ms
    relative = [(left, right) for left, right in cover_intervals]
    if cover_intervals and not isinstance(cover_intervals[0], list):
        relative = [(left - start_ms, right - start_ms) for left, right in cover_intervals]
    exposure = compute_exposed_interval((0.0, transfer_ms), relative)
    return {
        "transfer_ms": transfer_ms,
        "start_ms": interval[0],
        "end_ms": interval[1],
        "exposed_ms": exposure["exposed_ms"],
        "overlap_ratio": exposure["hidden_ms"] / transfer_ms if transfer_ms else 1.0,
    }
