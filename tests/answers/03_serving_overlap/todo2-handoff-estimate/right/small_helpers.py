# Nested helpers, one for each step.
def estimate_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms, cover_intervals):
    def rate():
        bits_per_second = bandwidth_gbps * 1e9
        bytes_per_second = bits_per_second / 8
        return bytes_per_second / 1e3

    def ratio(hidden, length):
        try:
            return float(hidden) / float(length)
        except ZeroDivisionError:
            return 1.0

    check_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms)
    length = sum((fixed_latency_ms, payload_bytes / rate()))
    left, right = start_ms, start_ms + length
    exposure = compute_exposed_interval((left, right), list(cover_intervals))
    return {
        "start_ms": left,
        "end_ms": right,
        "transfer_ms": length,
        "overlap_ratio": ratio(exposure["hidden_ms"], length),
        "exposed_ms": exposure["exposed_ms"],
    }
