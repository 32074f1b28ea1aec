# Computes the exposure itself, without TODO 1: one cursor over the sorted windows.
def estimate_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms, cover_intervals):
    check_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms)
    transfer_ms = fixed_latency_ms + payload_bytes / bandwidth_gbps / 125_000
    end_ms = start_ms + transfer_ms
    hidden_ms, reached = 0.0, start_ms
    for left, right in sorted(tuple(window) for window in cover_intervals):
        left, right = max(left, reached), min(right, end_ms)
        if right > left:
            hidden_ms += right - left
            reached = right
    return {
        "transfer_ms": transfer_ms,
        "start_ms": start_ms,
        "end_ms": end_ms,
        "exposed_ms": end_ms - start_ms - hidden_ms,
        "overlap_ratio": (hidden_ms / (end_ms - start_ms)) if end_ms > start_ms else 1.0,
    }
