# A named tuple inside the function, turned into a dict at the end.
from typing import NamedTuple


def estimate_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms, cover_intervals):
    class Handoff(NamedTuple):
        transfer_ms: float
        start_ms: float
        end_ms: float
        exposed_ms: float
        overlap_ratio: float

    wire_ms = payload_bytes * 8 / (bandwidth_gbps * 1e6)
    end_ms = start_ms + (fixed_latency_ms + wire_ms)
    hidden_ms = compute_exposed_interval((start_ms, end_ms), cover_intervals)["hidden_ms"]
    length = fixed_latency_ms + wire_ms
    share = hidden_ms / length if length else 1.0
    return Handoff(length, start_ms, end_ms, length - hidden_ms, share)._asdict()
