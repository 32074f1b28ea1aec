import pytest

from tests.overlap.simulated import SimulatedBackend
from tools.overlap.calibration import calibrate
from tools.overlap.settings import MIB, WINDOW_RATIOS


@pytest.mark.parametrize("unit_ms", [0.003, 0.02, 0.1])
@pytest.mark.parametrize("startup_ms", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("payload_mib", [16, 64, 128])
def test_windows_have_the_wanted_length_on_a_known_device(unit_ms, startup_ms, payload_mib):
    backend = SimulatedBackend(unit_ms=unit_ms, startup_ms=startup_ms)
    backend.prepare(payload_mib * MIB)
    windows = calibrate(backend, backend.copy_ms(), WINDOW_RATIOS)
    calibrated = [window for window in windows if window.kind == "calibrated"]
    assert [window.target_ratio for window in calibrated] == list(WINDOW_RATIOS)
    for window in calibrated:
        wanted = window.target_ratio * backend.copy_ms()
        assert backend.compute_ms(window.units) == pytest.approx(wanted, abs=unit_ms / 2 + 1e-9)


def test_the_fixed_window_is_the_last_and_not_calibrated():
    backend = SimulatedBackend()
    backend.prepare(16 * MIB)
    last = calibrate(backend, backend.copy_ms(), WINDOW_RATIOS)[-1]
    assert (last.kind, last.target_ratio, last.units) == ("fixed", None, backend.fixed_units)


def test_ratios_that_need_the_same_units_are_measured_once():
    """On a slow GPU one product is longer than the copy: four ratios would all be one unit."""
    backend = SimulatedBackend(unit_ms=7.0, startup_ms=0.0)
    backend.prepare(16 * MIB)
    windows = calibrate(backend, backend.copy_ms(), WINDOW_RATIOS)
    assert [(window.kind, window.units) for window in windows] == [("calibrated", 1), ("fixed", 3)]


def test_a_full_queue_caps_the_window_and_says_so():
    backend = SimulatedBackend(unit_ms=0.001, startup_ms=0.0, max_units=512)
    backend.prepare(128 * MIB)
    windows = calibrate(backend, backend.copy_ms(), WINDOW_RATIOS)
    assert windows[0].units == 512 and windows[0].capped
    assert all(window.units <= 512 for window in windows)
