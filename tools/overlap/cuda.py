"""The experiment on CUDA: one stream copies from pinned memory, one multiplies matrices.

Two streams, all events and all outputs are made once, and warmed before anything is timed: PyTorch hands
out pooled streams, cuBLAS keeps a workspace for each handle and stream, the caching allocator has pools for
each stream, and events initialise at their first record. Every run, serial ones too, uses the same streams.

A run starts behind a gate: a spin kernel on a third stream holds an event that both streams wait for, so
that both queues are full before either operation starts and the time to enqueue is not measured. If the
event has completed before everything is enqueued, the gate was too short: the run is repeated with a gate
twice as long. A host that merely stumbled pays for that once: the gate kept for later runs stays short.

Times are between two events on the gate's stream: after the gate, and after both operations. An event tells
when a stream *arrived*, not when a kernel starts, so no overlap is read from events; see `kineto`.
"""

import math
import time
from typing import Any

from tools.overlap import cuda_device, kineto
from tools.overlap.backends import Check, Observation, Order, Timeline
from tools.overlap.cuda_buffers import Buffers
from tools.overlap.errors import DeviceError
from tools.overlap.intervals import shared_fraction
from tools.overlap.settings import MIB, Settings

TOLERANCES = {"bfloat16": 1e-2, "float16": 5e-3}
GATE_MS, KEPT_GATE_MS, GATE_LIMIT_MS = 2.0, 16.0, 256.0
PROFILED_GATES_MS = (16.0, 64.0, 256.0)
CONTROL_RUNS = 5
SHARED_LIMIT = 0.10


class CudaBackend:
    """Copy and compute on two CUDA streams; see the module's text."""

    name = "cuda"
    fixed_units = 1
    max_units = 512  # a launch queue holds about a thousand kernels; a full one blocks the host

    def __init__(self, settings: Settings) -> None:
        """Open the device, allocate for the largest payload, and warm everything once.

        Raises:
            DeviceError: If there is no usable GPU, or too little memory.
        """
        self._torch = torch = cuda_device.load_torch()
        self._device = cuda_device.open_device(torch)
        self._dtype_name, self._dtype_reason = cuda_device.choose_dtype(torch)
        self._buffers = Buffers(torch, self._device, getattr(torch, self._dtype_name), settings)
        self._copy_stream, self._compute_stream = torch.cuda.Stream(), torch.cuda.Stream()
        self._gate_stream = torch.cuda.Stream()
        self._start, self._end, self._copy_done, self._compute_done = (
            torch.cuda.Event(enable_timing=True) for _ in range(4)
        )
        self._gate_ms, self._gate_misses = GATE_MS, 0
        self._cycles_per_ms = self._measure_spin()
        orders: tuple[Order, ...] = ("copy", "compute", "overlap")
        for order in orders:  # loads kernels, makes cuBLAS's handle and workspace
            self._enqueue(order, 1, GATE_MS)
            self._end.synchronize()

    def describe(self) -> dict[str, Any]:
        """See `Backend`."""
        torch, size = self._torch, self._buffers.matrix_size
        name = torch.cuda.get_device_name(self._device)
        properties = torch.cuda.get_device_properties(self._device)
        facts, reason = self._ask_smi(cuda_device.SMI_FACTS)
        engines, engines_source = cuda_device.copy_engines(self._device.index)
        shared = cuda_device.sharing(name, facts)
        return {
            "hardware": {
                "cuda_available": True,
                "device": name,
                "capability": f"{properties.major}.{properties.minor}",
                "multiprocessors": properties.multi_processor_count,
                "memory_total_mib": self._buffers.memory_bytes[1] // MIB,
                "memory_free_at_start_mib": self._buffers.memory_bytes[0] // MIB,
                "cuda": torch.version.cuda,
                "driver": facts["driver_version"],
                "async_engine_count": engines,
                "async_engine_count_source": engines_source,
                "nvidia_smi": {key: value for key, value in facts.items() if key != "uuid"},
                "nvidia_smi_reason": reason,
                "sharing": shared,
            },
            "workload": {
                "compute_dtype": self._dtype_name,
                "compute_dtype_reason": self._dtype_reason,
                "matrix_size_used": size,
                "compute_unit": f"one {size} x {size} matrix product",
                "copy": "Tensor.copy_ from pinned host memory, non_blocking",
                "gate_ms": GATE_MS,
            },
            "notes": [*self._buffers.notes, *cuda_device.sharing_notes(shared)],
        }

    def prepare(self, payload_bytes: int) -> None:
        """See `Backend`."""
        self._buffers.prepare(payload_bytes)

    def run(self, order: Order, units: int) -> float:
        """See `Backend`.

        Raises:
            DeviceError: ``copy_blocks_host`` if even the longest gate opens before the queues are full.
        """
        gate_ms = self._gate_ms
        while not self._enqueue(order, units, gate_ms):
            self._end.synchronize()
            self._gate_misses += 1
            gate_ms *= 2
            if gate_ms > GATE_LIMIT_MS:
                raise DeviceError(
                    "copy_blocks_host",
                    f"the queues were not full after {GATE_LIMIT_MS:g} ms: a call that should be "
                    "asynchronous waits for the GPU",
                )
            self._gate_ms = min(gate_ms, KEPT_GATE_MS)
        self._end.synchronize()
        return float(self._start.elapsed_time(self._end))

    def check(self, order: Order, units: int) -> Check:
        """See `Backend`: a third stream consumes the target as soon as `copy_done` allows it."""
        self._buffers.disturb()
        self._enqueue(order, units, self._gate_ms, consume=True)
        self._end.synchronize()
        error = self._buffers.relative_error()
        finite = math.isfinite(error)
        tolerance = TOLERANCES[self._dtype_name]
        return Check(
            copy_correct=self._buffers.copy_arrived(),
            compute_correct=finite and error <= tolerance,
            relative_error=error if finite else None,
            tolerance=tolerance,
        )

    def observe(self, units: int) -> Observation:
        """See `Backend`: one serial and one overlapped run under the profiler."""
        evidence: dict[str, bool | None] = {
            "distinct_queues": self._copy_stream.cuda_stream != self._compute_stream.cuda_stream,
            "pinned_source": bool(self._buffers.source.is_pinned()),
            "intervals_intersect": None,
        }
        runs: dict[str, dict[str, Any]] = {}
        orders: tuple[Order, ...] = ("serial", "overlap")
        for order in orders:
            run, reason = self._profiled(order, units)
            if run is None:
                return Observation(Timeline(None, reason), evidence)
            runs[order] = run
        overlap = runs["overlap"]
        shared = shared_fraction(overlap["copy"], overlap["compute"])
        evidence["distinct_queues"] = evidence["distinct_queues"] and overlap["streams_differ"]
        evidence["pinned_source"] = evidence["pinned_source"] and overlap["pinned"]
        evidence["intervals_intersect"] = shared > SHARED_LIMIT
        lanes = [{key: runs[order][key] for key in ("copy", "compute")} for order in orders]
        return Observation(Timeline("profiler", "", *lanes), evidence, {"shared_fraction": shared})

    def control(self, units: int) -> dict[str, Any]:
        """See `Backend`: the same copy from pageable memory, compute issued first; reported, not judged."""
        pageable = self._buffers.source.clone()  # clone of a pinned tensor is pageable
        totals: dict[Order, list[float]] = {"copy": [], "overlap": []}
        blocked = []
        for _ in range(CONTROL_RUNS):
            for order, samples in totals.items():
                began = time.perf_counter()
                self._enqueue(order, units, self._gate_ms, source=pageable, compute_first=True)
                blocked.append((time.perf_counter() - began) * 1e3)
                self._end.synchronize()
                samples.append(float(self._start.elapsed_time(self._end)))
        return {
            "measured": True,
            "source_pinned": bool(pageable.is_pinned()),
            "issue_order": "compute, then copy",
            "copy_ms": totals["copy"],
            "overlap_ms": totals["overlap"],
            "host_enqueue_ms": blocked,
            "units": units,
        }

    def state(self) -> dict[str, Any]:
        """See `Backend`."""
        facts, reason = self._ask_smi(cuda_device.SMI_STATE)
        facts["throttle_reasons"] = cuda_device.throttle_reasons(facts["clocks_throttle_reasons.active"])
        return {
            "nvidia_smi": facts,
            "reason": reason,
            "gate_misses": self._gate_misses,
            "gate_ms": self._gate_ms,
        }

    def close(self) -> None:
        """See `Backend`."""
        self._torch.cuda.synchronize()
        self._buffers.free()

    def _profiled(self, order: Order, units: int) -> tuple[dict[str, Any] | None, str]:
        """Return one run's intervals, or None and why; a profiled host is slow, so the gates are longer."""
        reason = ""
        for gate_ms in PROFILED_GATES_MS:
            shut: list[bool] = []

            def lead_in() -> None:
                self._enqueue(order, 1, GATE_MS)

            def run(gate_ms: float = gate_ms, shut: list[bool] = shut) -> None:
                shut.append(self._enqueue(order, units, gate_ms))

            try:
                events = kineto.profile_run(self._torch, lead_in, run)
            except (OSError, RuntimeError, ValueError, KeyError) as problem:
                words = cuda_device.first_line(str(problem))
                return None, f"the profiler failed: {type(problem).__name__}: {words}"
            profiled, reason = kineto.device_run(events, units)
            if not all(shut):
                reason = "under the profiler the gate opened before the queues were full"
            elif profiled is not None:
                return profiled, ""
        return None, reason

    def _enqueue(
        self,
        order: Order,
        units: int,
        gate_ms: float,
        *,
        consume: bool = False,
        source: Any = None,
        compute_first: bool = False,
    ) -> bool:
        """Put one run into the queues; return whether the gate was still shut when all was in."""
        torch, gate, buffers = self._torch, self._gate_stream, self._buffers
        with torch.cuda.stream(gate):
            torch.cuda._sleep(int(gate_ms * self._cycles_per_ms))
        self._start.record(gate)
        copies = order in ("copy", "serial", "overlap")
        computes = order in ("compute", "serial", "overlap")
        if computes and compute_first:
            self._enqueue_compute(self._start, units)
        if copies:
            self._copy_stream.wait_event(self._start)
            with torch.cuda.stream(self._copy_stream):
                buffers.target.copy_(buffers.source if source is None else source, non_blocking=True)
            self._copy_done.record(self._copy_stream)
        if computes and not compute_first:
            self._enqueue_compute(self._copy_done if order == "serial" else self._start, units)
        if copies:
            gate.wait_event(self._copy_done)
        if copies and consume:
            with torch.cuda.stream(gate):
                buffers.mirror.copy_(buffers.target, non_blocking=True)
        if computes:
            gate.wait_event(self._compute_done)
        self._end.record(gate)
        return not self._start.query()

    def _enqueue_compute(self, after: Any, units: int) -> None:
        buffers = self._buffers
        self._compute_stream.wait_event(after)
        with self._torch.cuda.stream(self._compute_stream):
            for _ in range(units):
                self._torch.matmul(buffers.left, buffers.right, out=buffers.product)
        self._compute_done.record(self._compute_stream)

    def _measure_spin(self) -> float:
        """Return the spin kernel's cycles in a millisecond; the clock differs between GPUs."""
        torch, probe = self._torch, 2_000_000
        for _ in range(2):  # the first launch loads the kernel
            with torch.cuda.stream(self._gate_stream):
                self._start.record(self._gate_stream)
                torch.cuda._sleep(probe)
                self._end.record(self._gate_stream)
            self._end.synchronize()
        return probe / float(self._start.elapsed_time(self._end))

    def _ask_smi(self, fields: tuple[str, ...]) -> tuple[dict[str, Any], str]:
        uuid = getattr(self._torch.cuda.get_device_properties(self._device), "uuid", None)
        if uuid is None:  # the first GPU that nvidia-smi lists need not be this one
            return dict.fromkeys(fields), "this torch does not tell which GPU it uses"
        text = str(uuid)
        return cuda_device.query_smi(fields, text if text.startswith(("GPU-", "MIG-")) else f"GPU-{text}")
