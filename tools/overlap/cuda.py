"""The experiment on CUDA: one stream copies from pinned memory, one multiplies matrices.

Two streams, all events and all outputs are made once, and warmed before anything is timed: PyTorch hands
out pooled streams, cuBLAS keeps a workspace for each handle and stream, the caching allocator has pools for
each stream, and events initialise at their first record. Every run, serial ones too, uses the same streams.

A run starts behind a gate: a spin kernel on a third stream holds an event that both streams wait for, so
that both queues are full before either operation starts and the time to enqueue is not measured. If the
event has completed before everything is enqueued, the gate was too short: it is doubled and the run repeated.

Times are between two events on the gate's stream: after the gate, and after both operations. An event tells
when a stream *arrived*, not when a kernel starts, so no overlap is read from events; see `kineto`.
"""

import math
import time
from typing import Any

from tools.overlap import cuda_device, kineto
from tools.overlap.backends import Check, Observation, Order, Timeline
from tools.overlap.errors import DeviceError
from tools.overlap.intervals import shared_fraction
from tools.overlap.settings import MIB, Settings

TOLERANCES = {"bfloat16": 1e-2, "float16": 5e-3}
GATE_MS, GATE_LIMIT_MS, PROFILED_GATE_FACTOR = 2.0, 256.0, 4
CONTROL_RUNS = 5
SHARED_LIMIT = 0.10
_POISON = 0x5A5A


class CudaBackend:
    """Copy and compute on two CUDA streams; see the module's text."""

    name = "cuda"
    max_units = 512  # a stream's launch queue holds about a thousand kernels; a full one blocks the host

    def __init__(self, settings: Settings) -> None:
        """Open the device and allocate for the largest payload; shrink the matrix once if it does not fit.

        Raises:
            DeviceError: If there is no usable GPU.
        """
        self._torch = torch = cuda_device.load_torch()
        self._settings = settings
        self._device = cuda_device.open_device(torch)
        self._dtype_name, self._dtype_reason = cuda_device.choose_dtype(torch)
        self._dtype = getattr(torch, self._dtype_name)
        self._notes: list[str] = []
        self._gate_misses = 0
        self.fixed_units = 1
        self._copy_stream, self._compute_stream = torch.cuda.Stream(), torch.cuda.Stream()
        self._gate_stream = torch.cuda.Stream()
        self._start, self._end, self._copy_done, self._compute_done = (
            torch.cuda.Event(enable_timing=True) for _ in range(4)
        )
        self._matrix_size = self._fitted_size()
        try:
            self._allocate()
            shrink = False
        except torch.cuda.OutOfMemoryError:
            shrink = True
        if shrink:  # outside the handler: its traceback would keep the tensors alive
            self._shrink("the first attempt ran out of memory")
            self._allocate()
        self._gate_cycles = self._cycles_of(GATE_MS)

    def describe(self) -> dict[str, Any]:
        """See `Backend`."""
        torch = self._torch
        properties = torch.cuda.get_device_properties(self._device)
        selector = self._selector()
        facts, reason = cuda_device.query_smi(cuda_device.SMI_FACTS, selector)
        engines, engines_source = cuda_device.copy_engines(self._device.index)
        free, total = torch.cuda.mem_get_info()
        return {
            "hardware": {
                "cuda_available": True,
                "device": torch.cuda.get_device_name(self._device),
                "capability": f"{properties.major}.{properties.minor}",
                "multiprocessors": properties.multi_processor_count,
                "memory_total_mib": total // MIB,
                "memory_free_mib": free // MIB,
                "cuda": torch.version.cuda,
                "driver": facts["driver_version"],
                "async_engine_count": engines,
                "async_engine_count_source": engines_source,
                "nvidia_smi": {key: value for key, value in facts.items() if key != "uuid"},
                "nvidia_smi_reason": reason,
                "sharing": cuda_device.sharing(torch.cuda.get_device_name(self._device), facts),
            },
            "workload": {
                "compute_dtype": self._dtype_name,
                "compute_dtype_reason": self._dtype_reason,
                "matrix_size_used": self._matrix_size,
                "compute_unit": f"one {self._matrix_size} x {self._matrix_size} matrix product",
                "copy": "Tensor.copy_ from pinned host memory, non_blocking",
                "gate_ms": GATE_MS,
            },
            "notes": self._notes,
        }

    def prepare(self, payload_bytes: int) -> None:
        """See `Backend`: views of the buffers, so nothing is allocated between payloads."""
        elements = payload_bytes // 2
        self._source, self._target = self._all_source[:elements], self._all_target[:elements]
        self._mirror = self._all_mirror[:elements]

    def run(self, order: Order, units: int) -> float:
        """See `Backend`.

        Raises:
            DeviceError: ``copy_blocks_host`` if even the longest gate opens before the queues are full.
        """
        while not self._enqueue(order, units):
            self._end.synchronize()
            self._gate_misses += 1
            self._gate_cycles *= 2
            if self._gate_cycles > self._cycles_per_ms * GATE_LIMIT_MS:
                raise DeviceError(
                    "copy_blocks_host",
                    f"the queues were not full after {GATE_LIMIT_MS:g} ms: a call that should be "
                    "asynchronous waits for the GPU",
                )
        self._end.synchronize()
        return float(self._start.elapsed_time(self._end))

    def check(self, order: Order, units: int) -> Check:
        """See `Backend`: a third stream consumes the target as soon as `copy_done` allows it."""
        torch = self._torch
        self._source.add_(1)
        self._left.neg_()
        self._target.fill_(_POISON)
        self._mirror.fill_(_POISON)
        self._product.fill_(math.nan)
        torch.cuda.synchronize()
        self._enqueue(order, units, consume=True)
        self._end.synchronize()
        torch.cuda.synchronize()
        error = self._relative_error()
        finite = math.isfinite(error)
        tolerance = TOLERANCES[self._dtype_name]
        return Check(
            copy_correct=bool(torch.equal(self._mirror.cpu(), self._source)),
            compute_correct=finite and error <= tolerance,
            relative_error=error if finite else None,
            tolerance=tolerance,
        )

    def observe(self, units: int) -> Observation:
        """See `Backend`: one serial and one overlapped run under the profiler."""
        evidence: dict[str, bool | None] = {
            "distinct_queues": self._copy_stream.cuda_stream != self._compute_stream.cuda_stream,
            "pinned_source": bool(self._source.is_pinned()),
            "intervals_intersect": None,
        }
        kept_cycles, self._gate_cycles = self._gate_cycles, self._gate_cycles * PROFILED_GATE_FACTOR
        runs: dict[str, dict[str, Any]] = {}
        try:
            for order in ("serial", "overlap"):
                shut: list[bool] = []
                events = kineto.profile_run(
                    self._torch, lambda order=order, shut=shut: shut.append(self._enqueue(order, units))
                )
                run, reason = kineto.device_run(events)
                if not all(shut):
                    run, reason = None, "under the profiler the gate opened before the queues were full"
                if run is None:
                    return Observation(Timeline(None, reason), evidence)
                runs[order] = run
        except (OSError, RuntimeError, ValueError, KeyError) as problem:
            reason = f"the profiler failed: {type(problem).__name__}: {cuda_device.first_line(str(problem))}"
            return Observation(Timeline(None, reason), evidence)
        finally:
            self._gate_cycles = kept_cycles
        overlap = runs["overlap"]
        shared = shared_fraction(overlap["copy"], overlap["compute"])
        evidence["pinned_source"] = evidence["pinned_source"] and overlap["pinned"]
        evidence["distinct_queues"] = evidence["distinct_queues"] and overlap["streams_differ"]
        evidence["intervals_intersect"] = shared > SHARED_LIMIT
        lanes = [{key: runs[order][key] for key in ("copy", "compute")} for order in ("serial", "overlap")]
        return Observation(Timeline("profiler", "", *lanes), evidence, {"shared_fraction": shared})

    def control(self, units: int) -> dict[str, Any]:
        """See `Backend`: the same copy from pageable memory, compute issued first; reported, not judged."""
        pageable = self._source.clone()  # clone of a pinned tensor is pageable
        totals: dict[str, list[float]] = {"copy": [], "overlap": []}
        blocked = []
        for _ in range(CONTROL_RUNS):
            for order, samples in totals.items():
                began = time.perf_counter()
                self._enqueue(order, units, source=pageable, compute_first=True)
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
        facts, reason = cuda_device.query_smi(cuda_device.SMI_STATE, self._selector())
        facts["throttle_reasons"] = cuda_device.throttle_reasons(facts["clocks_throttle_reasons.active"])
        return {"nvidia_smi": facts, "reason": reason, "gate_misses": self._gate_misses}

    def close(self) -> None:
        """See `Backend`."""
        if hasattr(self, "_start"):
            self._torch.cuda.synchronize()
        self._free()

    def _enqueue(
        self,
        order: Order,
        units: int,
        *,
        consume: bool = False,
        source: Any = None,
        compute_first: bool = False,
    ) -> bool:
        """Put one run into the queues; return whether the gate was still shut when all was in."""
        torch, gate = self._torch, self._gate_stream
        with torch.cuda.stream(gate):
            torch.cuda._sleep(self._gate_cycles)
        self._start.record(gate)
        copies = order in ("copy", "serial", "overlap")
        computes = order in ("compute", "serial", "overlap")
        if computes and compute_first:
            self._enqueue_compute(self._start, units)
        if copies:
            self._copy_stream.wait_event(self._start)
            with torch.cuda.stream(self._copy_stream):
                self._target.copy_(self._source if source is None else source, non_blocking=True)
            self._copy_done.record(self._copy_stream)
        if computes and not compute_first:
            self._enqueue_compute(self._copy_done if order == "serial" else self._start, units)
        if copies:
            gate.wait_event(self._copy_done)
            if consume:
                with torch.cuda.stream(gate):
                    self._mirror.copy_(self._target, non_blocking=True)
        if computes:
            gate.wait_event(self._compute_done)
        self._end.record(gate)
        return not self._start.query()

    def _enqueue_compute(self, after: Any, units: int) -> None:
        self._compute_stream.wait_event(after)
        with self._torch.cuda.stream(self._compute_stream):
            for _ in range(units):
                self._torch.matmul(self._left, self._right, out=self._product)
        self._compute_done.record(self._compute_stream)

    def _fitted_size(self) -> int:
        """Halve the matrix once if buffers, operands and the reference would take over 90% of free memory."""
        size = self._settings.matrix_size
        free, _ = self._torch.cuda.mem_get_info()
        payload = max(self._settings.payload_mib) * MIB
        needed = 2 * payload + size * size * (3 * 2 + 3 * 8) + 128 * MIB
        self._shrunk = False
        if needed > 0.9 * free:
            self._matrix_size = size
            self._shrink(f"{needed // MIB} MiB are needed and {free // MIB} MiB are free")
            return self._matrix_size
        return size

    def _shrink(self, why: str) -> None:
        """Halve the matrix, once.

        Raises:
            DeviceError: ``out_of_memory`` the second time.
        """
        if self._shrunk or self._matrix_size < 128:
            raise DeviceError("out_of_memory", f"{why}, with the matrix already at {self._matrix_size}")
        self._shrunk = True
        self._free()
        self._matrix_size //= 2
        self._notes.append(f"matrix shrunk to {self._matrix_size}: {why}")

    def _allocate(self) -> None:
        torch, size = self._torch, self._matrix_size
        elements = max(self._settings.payload_mib) * MIB // 2
        generator = torch.Generator().manual_seed(self._settings.seed)
        self._all_source = torch.empty(elements, dtype=torch.int16, pin_memory=True)
        self._all_source.random_(generator=generator)
        self._all_target = torch.zeros(elements, dtype=torch.int16, device=self._device)
        self._all_mirror = torch.zeros_like(self._all_target)
        left, right = (torch.randn(size, size, generator=generator) for _ in range(2))
        self._left, self._right = (m.to(self._device, self._dtype) for m in (left, right))
        self._product = torch.empty(size, size, device=self._device, dtype=self._dtype)
        self.prepare(elements * 2)
        self._relative_error()  # the largest temporary of a check: run out of memory here, not later
        torch.cuda.synchronize()

    def _relative_error(self) -> float:
        reference = self._left.double() @ self._right.double()  # float64 is never replaced by TF32
        difference = self._product.double().sub_(reference)
        return float(difference.norm() / reference.norm())

    def _free(self) -> None:
        for name in (
            "_source", "_target", "_mirror", "_all_source", "_all_target", "_all_mirror",
            "_left", "_right", "_product",
        ):  # fmt: skip
            self.__dict__.pop(name, None)
        self._torch.cuda.empty_cache()

    def _cycles_of(self, milliseconds: float) -> int:
        """Measure how many cycles the spin kernel takes for a time; the clock differs between GPUs."""
        torch, probe = self._torch, 2_000_000
        for _ in range(2):  # the first launch loads the kernel
            with torch.cuda.stream(self._gate_stream):
                self._start.record(self._gate_stream)
                torch.cuda._sleep(probe)
                self._end.record(self._gate_stream)
            self._end.synchronize()
        self._cycles_per_ms = probe / float(self._start.elapsed_time(self._end))
        return int(self._cycles_per_ms * milliseconds)

    def _selector(self) -> str | None:
        properties = self._torch.cuda.get_device_properties(self._device)
        uuid = getattr(properties, "uuid", None)
        return None if uuid is None else f"GPU-{str(uuid).removeprefix('GPU-')}"
