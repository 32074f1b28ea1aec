# 125,000 bytes per millisecond for each Gbit/s, and other names.
def estimate_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms, cover_intervals):
    check_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms)
    data_ms = payload_bytes / (125_000 * bandwidth_gbps)
    duration = data_ms + fixed_latency_ms
    end_ms = start_ms + duration
    exposed = compute_exposed_interval((start_ms, end_ms), cover_intervals)["exposed_ms"]
    ratio = 1.0
    if duration > 0:
        ratio = 1 - exposed / duration
    return dict(overlap_ratio=ratio, exposed_ms=exposed, end_ms=end_ms, start_ms=start_ms, transfer_ms=duration)
