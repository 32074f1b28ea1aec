# Computes in seconds and bytes, converts once at the end; early return for an empty transfer.
def estimate_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms, cover_intervals):
    check_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms)
    bytes_per_second = bandwidth_gbps * 10**9 / 8
    transfer_ms = (payload_bytes / bytes_per_second) * 1000 + fixed_latency_ms
    if transfer_ms == 0:
        return {
            "transfer_ms": 0.0, "start_ms": start_ms, "end_ms": start_ms, "exposed_ms": 0.0, "overlap_ratio": 1.0
        }
    end_ms = start_ms + transfer_ms
    exposure = compute_exposed_interval((start_ms, end_ms), cover_intervals)
    return {
        "transfer_ms": transfer_ms,
        "start_ms": start_ms,
        "end_ms": end_ms,
        "exposed_ms": exposure["exposed_ms"],
        "overlap_ratio": exposure["hidden_ms"] / exposure["total_ms"],
    }
