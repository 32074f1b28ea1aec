# The ratio is a percentage.
def estimate_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms, cover_intervals):
    check_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms)
    bytes_per_ms = bandwidth_gbps * 1e9 / 8 / 1000
    transfer_ms = fixed_latency_ms + payload_bytes / bytes_per_ms
    interval = (start_ms, start_ms + transfer_ms)
    exposure = compute_exposed_interval(interval, cover_intervals)
    return {
        "transfer_ms": transfer_ms,
        "start_ms": interval[0],
        "end_ms": interval[1],
        "exposed_ms": exposure["exposed_ms"],
        "overlap_ratio": 100 * exposure["hidden_ms"] / transfer_ms if transfer_ms else 100.0,
    }
