# functools.partial for the conversion, a dict from pairs.
from functools import partial, reduce
from operator import truediv


def estimate_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms, cover_intervals):
    gbps_to_bytes_per_ms = partial(reduce, truediv)
    rate = gbps_to_bytes_per_ms([bandwidth_gbps * 1e9, 8, 1000])
    transfer = fixed_latency_ms + payload_bytes / rate
    exposure = compute_exposed_interval((start_ms, start_ms + transfer), cover_intervals)
    pairs = [
        ("transfer_ms", transfer),
        ("start_ms", start_ms),
        ("end_ms", start_ms + transfer),
        ("exposed_ms", exposure["exposed_ms"]),
        ("overlap_ratio", transfer and exposure["hidden_ms"] / transfer or float(not transfer)),
    ]
    return dict(pairs)
