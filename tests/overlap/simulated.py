"""A machine whose times are known exactly, behind the same interface as the real ones."""

from dataclasses import dataclass, field
from typing import Any

from tools.overlap.backends import Check, Observation, Timeline


@dataclass
class SimulatedBackend:
    """Copy and compute take known times; `share` of the shorter one disappears when they overlap."""

    copy_ms_per_mib: float = 0.1
    startup_ms: float = 0.05
    unit_ms: float = 0.2
    share: float = 1.0
    gate_ms: float = 0.0
    noise: Any = None
    name: str = "simulated"
    fixed_units: int = 3
    max_units: int = 1_000_000
    copy_correct: bool = True
    compute_correct: bool = True
    evidence: dict[str, bool | None] = field(
        default_factory=lambda: {"distinct_queues": True, "intervals_intersect": True}
    )
    fail_at: dict[int, BaseException] = field(default_factory=dict)
    calls: list[tuple[str, int]] = field(default_factory=list)
    payload_mib: float = 0.0
    closed: int = 0

    def copy_ms(self) -> float:
        return self.copy_ms_per_mib * self.payload_mib

    def compute_ms(self, units: int) -> float:
        return self.startup_ms + self.unit_ms * units

    def describe(self) -> dict[str, Any]:
        return {"hardware": {"device": "simulated"}, "workload": {}, "notes": ["simulated"]}

    def prepare(self, payload_bytes: int) -> None:
        self.payload_mib = payload_bytes / 2**20
        problem = self.fail_at.get(int(self.payload_mib))
        if problem is not None:
            raise problem

    def run(self, order: str, units: int) -> float:
        self.calls.append((order, units))
        copy, compute = self.copy_ms(), self.compute_ms(units)
        total = {
            "empty": 0.0,
            "copy": copy,
            "compute": compute,
            "serial": copy + compute,
            "overlap": copy + compute - self.share * min(copy, compute),
        }[order]
        return (total + self.gate_ms) * (1.0 if self.noise is None else self.noise())

    def check(self, order: str, units: int) -> Check:
        return Check(self.copy_correct, self.compute_correct, 0.0, 1e-5)

    def observe(self, units: int) -> Observation:
        copy, compute = self.copy_ms(), self.compute_ms(units)
        serial = {"copy": [(0.0, copy)], "compute": [(copy, copy + compute)]}
        overlap = {"copy": [(0.0, copy)], "compute": [(0.0, compute)]}
        return Observation(Timeline("simulation", "", serial, overlap), dict(self.evidence))

    def control(self, units: int) -> dict[str, Any]:
        return {"measured": False, "reason": "simulated"}

    def state(self) -> dict[str, Any]:
        return {}

    def close(self) -> None:
        self.closed += 1


def quiet(text: str) -> None:
    """Swallow progress."""
