import numpy as np
import pytest
from scipy import stats

from tools.overlap import estimates


@pytest.mark.parametrize("n", [*range(1, 62), 99, 100, 101, 1000])
def test_p95_is_scipys_nearest_rank_for_every_n(n):
    values = np.random.default_rng(n).permutation(np.arange(1.0, n + 1))
    assert estimates.percentile_95(values) == np.quantile(values, 0.95, method="inverted_cdf")


def test_p95_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        estimates.percentile_95([])


def test_p95_is_not_the_seeds_index():
    """int(0.95 n) - 1 is one too low unless n is a multiple of 20."""
    assert estimates.percentile_95(range(1, 11)) == 10


def test_bootstrap_agrees_with_scipy():
    random = np.random.default_rng(1)
    serial = random.gamma(50, 0.2, 20)
    overlap = serial * 0.7 * random.gamma(400, 1 / 400, 20)
    ours = estimates.interval_95(estimates.bootstrap_ratios(serial, overlap, seed=3))
    theirs = stats.bootstrap(
        (overlap, serial),
        lambda o, s, axis: np.median(o, axis=axis) / np.median(s, axis=axis),
        paired=True,
        method="percentile",
        n_resamples=9999,
        rng=np.random.default_rng(4),
    ).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), rel=0.02)


def test_bootstrap_keeps_pairs_together():
    """Drift that hits both runs of a pair cancels: the interval of an exact ratio has no width."""
    serial = np.linspace(1.0, 50.0, 21)
    low, high = estimates.interval_95(estimates.bootstrap_ratios(serial, 0.6 * serial, seed=0))
    assert low == pytest.approx(0.6) and high == pytest.approx(0.6)


def test_bootstrap_is_reproducible_and_depends_on_the_seed():
    serial = np.random.default_rng(0).gamma(9, 1, 20)
    overlap = np.random.default_rng(1).gamma(9, 1, 20)
    first = estimates.bootstrap_ratios(serial, overlap, seed=7)
    assert np.array_equal(first, estimates.bootstrap_ratios(serial, overlap, seed=7))
    assert not np.array_equal(first, estimates.bootstrap_ratios(serial, overlap, seed=8))


@pytest.mark.parametrize(("serial", "overlap"), [([1.0] * 7, [1.0] * 7), ([1.0] * 9, [1.0] * 8)])
def test_too_few_or_unpaired_runs_give_no_interval(serial, overlap):
    with pytest.raises(ValueError, match="pairs"):
        estimates.bootstrap_ratios(serial, overlap, seed=0)


def _ratios(share_above: float) -> np.ndarray:
    """Sorted ratios of which this share is at or over 0.98."""
    n = estimates.RESAMPLES
    above = round(share_above * n)
    return np.sort(np.concatenate([np.full(n - above, 0.9), np.full(above, 1.1)]))


def _accepted(shares: list[float], family: int | None = None) -> list[bool]:
    bounds = estimates.holm_upper_bounds([_ratios(share) for share in shares], 0.98, family)
    return [bound < 0.98 for bound in bounds]


def _holm(p_values: list[float], alpha: float, m: int) -> list[bool]:
    """Step down, written from the definition."""
    rejected = [False] * len(p_values)
    for rank, index in enumerate(np.argsort(p_values, kind="stable")):
        if p_values[index] > alpha / (m - rank):
            break
        rejected[index] = True
    return rejected


@pytest.mark.parametrize("seed", range(30))
def test_corrected_bounds_decide_as_holms_procedure(seed):
    shares = list(np.random.default_rng(seed).choice([0.0, 0.001, 0.003, 0.006, 0.012, 0.02, 0.3], 8))
    p_values = [(round(s * estimates.RESAMPLES) + 1) / (estimates.RESAMPLES + 1) for s in shares]
    assert _accepted(shares) == _holm(p_values, 0.025, 8)


def test_correction_is_needed():
    """Alone the case passes; as one of eighteen it does not."""
    assert _accepted([0.01]) == [True]
    assert _accepted([0.01], family=18) == [False]
    assert _accepted([0.01] * 18) == [False] * 18


def test_a_family_cannot_be_smaller_than_its_cases():
    with pytest.raises(ValueError, match="family"):
        estimates.holm_upper_bounds([_ratios(0), _ratios(0)], 0.98, family=1)


def test_self_check_of_pure_noise_is_rarely_accepted():
    """Serial against serial with heavy tails, 3 payloads in a family of 18: 300 runs, at most 2% accepted."""
    random = np.random.default_rng(5)
    accepted = 0
    for run in range(300):
        samples = [10 * (1 + 0.02 * random.standard_t(3, (2, 20))) for _ in range(3)]
        ratios = [_quick_ratios(a, b, run) for a, b in samples]
        accepted += any(bound < 0.98 for bound in estimates.holm_upper_bounds(ratios, 0.98, 18))
    assert accepted <= 6


def _quick_ratios(serial: np.ndarray, overlap: np.ndarray, seed: int) -> np.ndarray:
    picks = np.random.default_rng(seed).integers(0, 20, (1999, 20))
    return np.sort(np.median(overlap[picks], axis=1) / np.median(serial[picks], axis=1))


@pytest.mark.parametrize(
    ("copy", "compute", "ratio"),
    [(4.0, 4.0, 0.5), (4.0, 1.0, 0.8), (1.0, 4.0, 0.8), (2.4, 0.022, 2.4 / 2.422)],
)
def test_achievable_ratio(copy, compute, ratio):
    assert estimates.achievable_ratio(copy, compute) == pytest.approx(ratio)


def test_efficiency_shows_slowdowns():
    assert estimates.efficiency(10.0, 6.0, 4.0, 6.0) == 1.0
    assert estimates.efficiency(10.0, 12.0, 4.0, 6.0) == -0.5


def test_link_is_recovered_from_exact_copies():
    sizes = [2**20 * mib for mib in (16, 64, 128)]
    link = estimates.fit_link(sizes, [0.3 + size / 1e6 for size in sizes])
    assert link["bandwidth_gbps"] == pytest.approx(8.0)
    assert link["fixed_latency_ms"] == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("sizes", "times"), [([1000], [2.0]), ([1000, 2000], [1.0, 3.0]), ([10, 20], [2.0, 1.0])]
)
def test_link_without_a_sensible_line_goes_through_the_origin(sizes, times):
    link = estimates.fit_link(sizes, times)
    assert link["fixed_latency_ms"] == 0.0 and link["bandwidth_gbps"] > 0
    assert "origin" in link["method"]


@pytest.mark.parametrize(("sizes", "times"), [([], []), ([1], []), ([1], [0.0])])
def test_link_needs_copies(sizes, times):
    with pytest.raises(ValueError, match="fit_link"):
        estimates.fit_link(sizes, times)
