# Stays in bits: payload bits over bits per millisecond.
def estimate_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms, cover_intervals):
    payload_bits = 8 * payload_bytes
    bits_per_ms = bandwidth_gbps * 1_000_000
    transfer_ms = payload_bits / bits_per_ms + fixed_latency_ms
    exposure = compute_exposed_interval([start_ms, start_ms + transfer_ms], cover_intervals)
    report = {"transfer_ms": transfer_ms, "start_ms": start_ms, "end_ms": start_ms + transfer_ms}
    report["exposed_ms"] = exposure["exposed_ms"]
    report["overlap_ratio"] = exposure["hidden_ms"] / transfer_ms if transfer_ms > 0 else 1.0
    return report
