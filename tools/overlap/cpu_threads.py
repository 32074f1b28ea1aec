"""The experiment on a CPU: one thread copies, one computes, on numpy alone.

numpy gives the interpreter lock back inside `copyto` of big arrays and inside `matmul`, so with two cores
both really run at once and really share the memory's bandwidth. The computing thread multiplies stacks of
64 x 64 blocks: BLAS libraries run products that small on the calling thread, so no second core is taken.
`compute_cpu_share` in the result says whether that held: CPU time of the process / CPU time of the thread.

Interval end points from two threads' wall clocks intersect on a single core too, where the system only
switches between them. So simultaneity is shown by CPU time: two threads that used more CPU seconds than
the wall clock passed were on two cores at once.
"""

import os
import threading
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

from tools.overlap.backends import Check, Intervals, Observation, Order, Timeline
from tools.overlap.intervals import from_zero, shared_fraction
from tools.overlap.provenance import processor, usable_cores
from tools.overlap.settings import MIB, Settings

BLOCK = 64
BLOCKS_PER_UNIT = 8
MATRIX_SIZE_LIMIT = 512
OBSERVED_RUNS = 5
PARALLELISM_LIMIT = 1.05
CPU_SHARE_LIMIT = 1.3
TOLERANCE = 1e-5
_MS = 1e3


class _Lane:
    """A thread that waits at the gate, runs one operation, and keeps its own clocks."""

    def __init__(self, name: str, gate: threading.Barrier, core: int) -> None:
        self._gate = gate
        self._job: Callable[[], None] | None = None
        self._after: threading.Event | None = None
        self._core, self.pinned = core, False
        self._armed, self.done = threading.Semaphore(0), threading.Event()
        self.start = self.end = self.cpu = 0.0
        self.failure: BaseException | None = None
        self._thread = threading.Thread(target=self._loop, name=name, daemon=True)
        self._thread.start()

    def arm(self, job: Callable[[], None], after: threading.Event | None) -> None:
        """Give the next operation; it starts when the gate opens and `after` is set."""
        self.done.clear()
        self._job, self._after, self.failure = job, after, None
        self._armed.release()

    def stop(self) -> None:
        """End the thread, also one that an interrupted run left at the gate."""
        self._gate.abort()
        self._job = None
        self._armed.release()
        self._thread.join(timeout=10)

    def _pin(self) -> None:
        # Left alone, a system may wake both threads on one core and need longer than the run to move one.
        if hasattr(os, "sched_setaffinity"):
            try:
                os.sched_setaffinity(threading.get_native_id(), {self._core})
                self.pinned = True
            except OSError:
                self.pinned = False

    def _loop(self) -> None:
        self._pin()
        while True:
            self._armed.acquire()
            job = self._job
            if job is None:
                return
            try:
                self._gate.wait()
                if self._after is not None:
                    self._after.wait()
                cpu = time.thread_time()
                self.start = time.perf_counter()
                job()
                self.end = time.perf_counter()
                self.cpu = time.thread_time() - cpu
            except BaseException as problem:  # handed to the thread that waits for `done`
                self.failure = problem
            finally:
                self.done.set()


class CpuThreadsBackend:
    """Copy and compute on two long-lived threads; see the module's text."""

    name = "cpu_threads"
    max_units = 1_000_000

    def __init__(self, settings: Settings) -> None:
        """Allocate for the largest payload, start the threads, warm everything once."""
        self._settings = settings
        self._matrix_size = min(settings.matrix_size, MATRIX_SIZE_LIMIT)
        self.fixed_units = max(1, (self._matrix_size // BLOCK) ** 3 // BLOCKS_PER_UNIT)
        random = np.random.default_rng(settings.seed)
        elements = max(settings.payload_mib) * MIB // 4
        self._all_source = random.integers(0, 2**31, size=elements, dtype=np.int32)
        self._all_target = np.zeros(elements, dtype=np.int32)
        shape = (BLOCKS_PER_UNIT, BLOCK, BLOCK)
        self._left = random.standard_normal(shape, dtype=np.float32)
        self._right = random.standard_normal(shape, dtype=np.float32)
        self._product = np.zeros(shape, dtype=np.float32)
        self._source, self._target = self._all_source, self._all_target
        self._gate = threading.Barrier(3)
        cores = usable_cores()
        self._copier = _Lane("copy", self._gate, cores[0])
        self._computer = _Lane("compute", self._gate, cores[-1])
        self._closed = False
        self._cpu_share = self._measure_cpu_share()

    def describe(self) -> dict[str, Any]:
        """See `Backend`."""
        notes = []
        if self._settings.matrix_size > MATRIX_SIZE_LIMIT:
            notes.append(
                f"the fixed window is the work of a matrix product of size {MATRIX_SIZE_LIMIT}, not "
                f"{self._settings.matrix_size}: that takes a CPU core too long"
            )
        if len(usable_cores()) < 2:
            notes.append("one core: two threads take turns on it, and nothing can overlap")
        if self._cpu_share is not None and self._cpu_share > CPU_SHARE_LIMIT:
            notes.append(
                f"compute alone used {self._cpu_share:.2f} cores: this BLAS splits even small products, "
                "so the copy has no core to itself"
            )
        return {
            "hardware": {
                "cuda_available": None,
                "device": processor(),
                "cores_usable": len(usable_cores()),
                "threads_pinned": self._copier.pinned and self._computer.pinned,
                "compute_cpu_share": self._cpu_share,
            },
            "workload": {
                "compute_dtype": "float32",
                "matrix_size_used": self._matrix_size,
                "compute_unit": f"{BLOCKS_PER_UNIT} products of {BLOCK} x {BLOCK} float32 blocks",
                "copy": "numpy.copyto within host memory",
            },
            "notes": notes,
        }

    def prepare(self, payload_bytes: int) -> None:
        """See `Backend`."""
        self._source = self._all_source[: payload_bytes // 4]
        self._target = self._all_target[: payload_bytes // 4]

    def run(self, order: Order, units: int) -> float:
        """See `Backend`: from just before the gate opens to the end of the last operation."""
        return self._go(order, units) * _MS

    def check(self, order: Order, units: int) -> Check:
        """See `Backend`."""
        self._source += 1
        self._left *= -1
        self._target.fill(-1)
        self._product.fill(np.nan)
        self._go(order, units)
        reference = self._left.astype(np.float64) @ self._right.astype(np.float64)
        error = float(np.linalg.norm(self._product - reference) / np.linalg.norm(reference))
        finite = bool(np.isfinite(error))
        return Check(
            copy_correct=bool(np.array_equal(self._target, self._source)),
            compute_correct=finite and error <= TOLERANCE,
            relative_error=error if finite else None,
            tolerance=TOLERANCE,
        )

    def observe(self, units: int) -> Observation:
        """See `Backend`: the run nearest the median of a few, by the threads' own clocks."""
        orders: tuple[Order, ...] = ("serial", "overlap")
        observed = {order: [self._observed(order, units) for _ in range(OBSERVED_RUNS)] for order in orders}
        serial, overlap = (_median_run(observed[order]) for order in orders)
        runs = observed["overlap"]
        fine_clock = time.get_clock_info("thread_time").resolution <= 1e-4
        parallelism = median(run["cpu"] / run["total"] for run in runs) if fine_clock else None
        shared = shared_fraction(overlap["copy"], overlap["compute"])
        return Observation(
            timeline=Timeline("thread clocks", "", *(self._shifted(run) for run in (serial, overlap))),
            evidence={
                "distinct_queues": True,
                "intervals_intersect": shared > 0,
                "more_cpu_than_wall": None if parallelism is None else parallelism > PARALLELISM_LIMIT,
            },
            figures={"shared_fraction": shared, "cpu_time_over_wall": parallelism},
        )

    def control(self, units: int) -> dict[str, Any]:
        """See `Backend`."""
        return {"measured": False, "reason": "pinned memory is a matter of a GPU's copy engine"}

    def state(self) -> dict[str, Any]:
        """See `Backend`."""
        load = os.getloadavg() if hasattr(os, "getloadavg") else None
        return {"load_average": None if load is None else [round(value, 2) for value in load]}

    def close(self) -> None:
        """See `Backend`."""
        if not self._closed:
            self._closed = True
            self._copier.stop()
            self._computer.stop()
            self._all_source = self._all_target = self._source = self._target = np.empty(0, np.int32)

    def _copy(self) -> None:
        np.copyto(self._target, self._source)

    def _compute(self, units: int) -> None:
        for _ in range(units):
            np.matmul(self._left, self._right, out=self._product)

    def _go(self, order: Order, units: int) -> float:
        copier, computer = self._copier, self._computer
        copier.arm(self._copy if order in ("copy", "serial", "overlap") else _nothing, None)
        work = (lambda: self._compute(units)) if order in ("compute", "serial", "overlap") else _nothing
        computer.arm(work, copier.done if order == "serial" else None)
        while self._gate.n_waiting < 2:  # both queues are full before the gate opens
            time.sleep(20e-6)
        opened = time.perf_counter()
        self._gate.wait()
        copier.done.wait()
        computer.done.wait()
        for lane in (copier, computer):
            if lane.failure is not None:
                raise lane.failure
        return max(copier.end, computer.end) - opened

    def _observed(self, order: Order, units: int) -> dict[str, Any]:
        self._go(order, units)
        copy: Intervals = [(self._copier.start * _MS, self._copier.end * _MS)]
        compute: Intervals = [(self._computer.start * _MS, self._computer.end * _MS)]
        wall = max(copy[0][1], compute[0][1]) - min(copy[0][0], compute[0][0])
        cpu = (self._copier.cpu + self._computer.cpu) * _MS
        return {"copy": copy, "compute": compute, "total": wall, "cpu": cpu}

    @staticmethod
    def _shifted(run: dict[str, Any]) -> dict[str, Intervals]:
        copy, compute = from_zero(run["copy"], run["compute"])
        return {"copy": copy, "compute": compute}

    def _measure_cpu_share(self) -> float | None:
        self._go("compute", 4)
        process = time.process_time()
        self._go("compute", 4 * self.fixed_units)
        process = time.process_time() - process
        return round(process / self._computer.cpu, 3) if self._computer.cpu else None


def _median_run(runs: list[dict[str, Any]]) -> dict[str, Any]:
    middle = median(run["total"] for run in runs)
    return min(runs, key=lambda run: abs(run["total"] - middle))


def _nothing() -> None:
    """Take part in a run without an operation."""
