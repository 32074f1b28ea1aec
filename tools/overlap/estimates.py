"""Statistics of the timed runs. Pure functions of raw samples: a result can be recomputed from its file."""

import math
from collections.abc import Sequence
from statistics import median

import numpy as np

CONFIDENCE = 0.95
RESAMPLES = 9999
MIN_PAIRS = 8
P95_DEFINITION = "nearest rank: the ceil(0.95 n)-th smallest of n samples"
RATIO_DEFINITION = (
    "median(overlap) / median(serial); 95% percentile bootstrap over interleaved pairs, "
    f"{RESAMPLES} resamples; upper bound corrected by Holm for all cases of the run"
)


def percentile_95(values: Sequence[float]) -> float:
    """Return the 95th percentile by nearest rank, right for every n >= 1.

    Raises:
        ValueError: If there is no value.

    Example:
        >>> percentile_95([3.0]), percentile_95(range(1, 21)), percentile_95(range(1, 22))
        (3.0, 19.0, 20.0)
    """
    if len(values) == 0:
        raise ValueError("percentile_95 needs at least one value")
    return float(sorted(values)[math.ceil(0.95 * len(values)) - 1])


def bootstrap_ratios(serial_ms: Sequence[float], overlap_ms: Sequence[float], seed: int) -> np.ndarray:
    """Return resampled ratios of medians, sorted ascending.

    Pairs are resampled, so that drift which hits both runs of a pair stays in both.

    Args:
        serial_ms: Totals of the serial runs, shape (n,).
        overlap_ms: Totals of the overlapped runs, shape (n,); entry i ran next to serial i.
        seed: Of the resampling.

    Returns:
        Ratios, shape (RESAMPLES,).

    Raises:
        ValueError: If the two lengths differ or there are fewer than MIN_PAIRS pairs.
    """
    if len(serial_ms) != len(overlap_ms):
        raise ValueError(f"{len(serial_ms)} serial runs and {len(overlap_ms)} overlapped runs are no pairs")
    if len(serial_ms) < MIN_PAIRS:
        raise ValueError(f"{len(serial_ms)} pairs give no interval: at least {MIN_PAIRS} are needed")
    serial, overlap = np.asarray(serial_ms, dtype=float), np.asarray(overlap_ms, dtype=float)
    picks = np.random.default_rng(seed).integers(0, len(serial), size=(RESAMPLES, len(serial)))
    ratios = np.median(overlap[picks], axis=1) / np.median(serial[picks], axis=1)
    return np.sort(ratios)


def interval_95(ratios: np.ndarray) -> tuple[float, float]:
    """Return the two-sided 95% percentile interval of sorted bootstrap ratios."""
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(ratios, [tail, 1 - tail])
    return float(low), float(high)


def upper_bound(ratios: np.ndarray, alpha: float) -> float:
    """Return the one-sided upper bound at level 1 - alpha; never above the largest resample."""
    return float(np.quantile(ratios, 1 - alpha, method="higher"))


def holm_upper_bounds(
    all_ratios: Sequence[np.ndarray], limit: float, family: int | None = None
) -> list[float]:
    """Correct the upper bounds of several cases for having tried them all (Holm's step-down).

    The case with the smallest bootstrap p-value of "ratio >= limit" is held to alpha / m, the next to
    alpha / (m - 1), and so on; alpha is the upper tail of a 95% interval, 0.025. Once a case fails its
    level, every later one is held to the same level, so none after it can pass.

    Simulated at a true ratio of 0.98 (18 cases of 20 pairs, 250 runs), some case passed in 1.2% of the runs
    with lognormal noise of 3% and in 3.6% with heavy tails (t, 3 degrees of freedom, 2%); wanted are 2.5%.

    Args:
        all_ratios: Sorted bootstrap ratios of each case.
        limit: The ratio that counts as no gain.
        family: How many cases the run planned, m; the number given if None.

    Returns:
        The corrected upper bound of each case, in the order given.

    Raises:
        ValueError: If the family is smaller than the number of cases.

    Example:
        >>> sure, unsure = np.full(9999, 0.5), np.linspace(0.5, 1.5, 9999)
        >>> holm_upper_bounds([unsure, sure], limit=0.98)[1]
        0.5
    """
    m = len(all_ratios) if family is None else family
    if m < len(all_ratios):
        raise ValueError(f"a family of {m} cannot hold {len(all_ratios)} cases")
    p_values = [(np.count_nonzero(ratios >= limit) + 1) / (len(ratios) + 1) for ratios in all_ratios]
    bounds = [math.nan] * len(all_ratios)
    level, failed = (1 - CONFIDENCE) / 2 / max(m, 1), False
    for rank, index in enumerate(sorted(range(len(all_ratios)), key=p_values.__getitem__)):
        if not failed:
            level = (1 - CONFIDENCE) / 2 / (m - rank)
        bounds[index] = upper_bound(all_ratios[index], level)
        failed = failed or bounds[index] >= limit
    return bounds


def achievable_ratio(copy_ms: float, compute_ms: float) -> float:
    """Return the best ratio that a perfect overlap could reach: max / (copy + compute)."""
    return max(copy_ms, compute_ms) / (copy_ms + compute_ms)


def efficiency(serial_ms: float, overlap_ms: float, copy_ms: float, compute_ms: float) -> float:
    """Return the share of the possible saving that was saved: 1 perfect, 0 none, negative a slowdown."""
    return (serial_ms - overlap_ms) / min(copy_ms, compute_ms)


def fit_link(payload_bytes: Sequence[int], copy_ms: Sequence[float]) -> dict[str, object]:
    """Fit latency and bandwidth of the link to isolated copies: t = latency + bytes / bandwidth.

    Args:
        payload_bytes: Sizes of the copies.
        copy_ms: Their median durations.

    Returns:
        ``bandwidth_gbps`` (Gbit/s), ``fixed_latency_ms`` and ``method``. With one size, or where the line
        would need a negative latency or bandwidth, it goes through the origin, and `method` says so.

    Raises:
        ValueError: If there is nothing to fit, or a duration is not above 0.

    Example:
        >>> fit_link([125_000, 250_000], [1.5, 2.5])["fixed_latency_ms"]
        0.5
    """
    if not copy_ms or len(copy_ms) != len(payload_bytes) or min(copy_ms) <= 0:
        raise ValueError("fit_link needs one duration above 0 for each size")
    sizes, times = np.asarray(payload_bytes, dtype=float), np.asarray(copy_ms, dtype=float)
    if len(set(payload_bytes)) > 1:
        slope, latency = np.polyfit(sizes, times, 1)
        if slope > 0 and latency >= 0:
            method = "least squares over the payloads' median isolated copies"
            return {
                "bandwidth_gbps": _gbps(slope),
                "fixed_latency_ms": round(float(latency), 9),
                "method": method,
            }
    slope = float(sizes @ times / (sizes @ sizes))
    method = "through the origin: one payload, or the line's latency or slope would be negative"
    return {"bandwidth_gbps": _gbps(slope), "fixed_latency_ms": 0.0, "method": method}


def _gbps(ms_per_byte: float) -> float:
    return float(8 / (ms_per_byte * 1e6))


def median_ms(values: Sequence[float]) -> float:
    """Return the median as a float."""
    return float(median(values))
