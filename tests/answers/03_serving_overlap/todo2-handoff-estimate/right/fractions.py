# Exact arithmetic with Fractions, floats only in the report.
from fractions import Fraction


def estimate_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms, cover_intervals):
    transfer = Fraction(fixed_latency_ms) + Fraction(payload_bytes) / (Fraction(bandwidth_gbps) * 125_000)
    begin = Fraction(start_ms)
    windows = [(Fraction(left), Fraction(right)) for left, right in cover_intervals]
    exposure = compute_exposed_interval((begin, begin + transfer), windows)
    ratio = exposure["hidden_ms"] / transfer if transfer else Fraction(1)
    numbers = (transfer, begin, begin + transfer, exposure["exposed_ms"], ratio)
    names = ("transfer_ms", "start_ms", "end_ms", "exposed_ms", "overlap_ratio")
    return {name: float(number) for name, number in zip(names, numbers)}
