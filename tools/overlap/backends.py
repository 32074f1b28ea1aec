"""What a machine must offer to be measured: one interface for CUDA streams, CPU threads and test doubles."""

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Order = Literal["empty", "copy", "compute", "serial", "overlap"]
Intervals = list[tuple[float, float]]


@dataclass(frozen=True)
class Check:
    """One checked run: target and product poisoned and source changed before, everything compared after.

    Attributes:
        copy_correct: Every byte arrived, as seen by a consumer that waited for the copy's completion only.
        compute_correct: The whole product is within `tolerance` of the reference, by relative norm.
        relative_error: That norm; None if it is not finite.
        tolerance: What the number format allows.
    """

    copy_correct: bool
    compute_correct: bool
    relative_error: float | None
    tolerance: float


@dataclass(frozen=True)
class Timeline:
    """When copy and compute ran in one serial and in one overlapped run, ms since the earlier of the two.

    Attributes:
        source: Whose clock it is, for example ``"profiler"``; None if nothing could be observed.
        reason: Why there is nothing; "" if there is something.
        serial: ``{"copy": [(start, end), ...], "compute": [...]}``; None without a source.
        overlap: The same of the overlapped run.
    """

    source: str | None
    reason: str
    serial: dict[str, Intervals] | None = None
    overlap: dict[str, Intervals] | None = None


@dataclass(frozen=True)
class Observation:
    """What separate, untimed runs showed of the path.

    Attributes:
        timeline: The intervals.
        evidence: Name of a check -> True, False, or None where it could not be looked at. All are needed
            for `path_confirmed`.
        figures: The numbers behind the evidence.
    """

    timeline: Timeline
    evidence: dict[str, bool | None] = field(default_factory=dict)
    figures: dict[str, float | None] = field(default_factory=dict)


class Backend(Protocol):
    """A machine with one way to copy and one way to compute.

    A compute unit is the smallest amount of work it can be given; windows are whole numbers of units.
    """

    name: str
    fixed_units: int
    max_units: int

    def describe(self) -> dict[str, Any]:
        """Return what is measured on: ``{"hardware": {...}, "workload": {...}, "notes": [...]}``."""

    def prepare(self, payload_bytes: int) -> None:
        """Make the next runs copy this many bytes."""

    def run(self, order: Order, units: int) -> float:
        """Run once and return the time from the opened gate to the end of the last operation, ms."""

    def check(self, order: Order, units: int) -> Check:
        """Run once with poisoned targets and a changed source, and compare everything."""

    def observe(self, units: int) -> Observation:
        """Run serial and overlap outside the timing, with intervals."""

    def control(self, units: int) -> dict[str, Any]:
        """Return the pageable-memory control, or ``{"measured": False, "reason": ...}``."""

    def state(self) -> dict[str, Any]:
        """Return what may change during a run: clocks, power, load."""

    def close(self) -> None:
        """Give memory, streams and threads back; may be called twice."""
