"""A stand-in for torch with a simulated GPU, so that the CUDA backend's own code runs without one.

Streams, events, engines and the host have clocks. An operation starts when its stream, its engine and the
host's submission allow it, and takes a known time. A copy on the device that starts before an earlier write
to its source has ended reads stale bytes, as on hardware: a missing dependency shows up as wrong data.
"""

import contextlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np


class OutOfMemoryError(RuntimeError):
    """What torch raises when the device's memory is full."""


@dataclass
class Gpu:
    """The simulated machine; times in ms."""

    copy_ms_per_mib: float = 0.1
    matmul_ms: float = 0.5
    submit_ms: float = 0.005
    cycles_per_ms: float = 1e6
    copy_and_compute_share_an_engine: bool = False
    copy_blocks_host: bool = False
    lose_copies: bool = False
    wrong_products: bool = False
    capability: tuple[int, int] = (9, 0)
    architectures: tuple[str, ...] = ("sm_75", "sm_80", "sm_90")
    memory_bytes: int = 16 * 2**30
    fail_allocations: int = 0
    profiler_sees: tuple[str, ...] = ("gpu_memcpy", "kernel")
    cuda: str | None = "13.0"
    init_error: str | None = None
    kernel_error: str | None = None
    host: float = 0.0
    engines: dict[str, float] = field(default_factory=dict)
    profile: list[dict[str, Any]] | None = None
    pauses: list[float] = field(default_factory=list)
    profiled_pause_ms: float = 0.0
    blind_sessions: int = 0
    dropped_kernels: int = 0
    streams_made: int = 0
    events_made: int = 0
    device_allocations: int = 0
    submitted: list[tuple[str, int]] = field(default_factory=list)


@dataclass
class Stream:
    gpu: Gpu
    cuda_stream: int
    ready: float = 0.0

    def wait_event(self, event: "Event") -> None:
        self.gpu.host += self.gpu.submit_ms
        if event.time is not None:
            self.ready = max(self.ready, event.time)

    def run(self, engine: str, name: str, category: str, duration: float) -> tuple[float, float]:
        gpu = self.gpu
        gpu.host += gpu.submit_ms
        if engine != "spin":
            gpu.host += gpu.pauses.pop() if gpu.pauses else 0.0
            gpu.host += gpu.profiled_pause_ms if gpu.profile is not None else 0.0
        start = max(self.ready, gpu.host, gpu.engines.get(engine, 0.0))
        end = start + duration
        self.ready = gpu.engines[engine] = end
        gpu.submitted.append((name, self.cuda_stream))
        if gpu.profile is not None and category in gpu.profiler_sees:
            gpu.profile.append(
                {
                    "ph": "X", "cat": category, "name": name, "ts": start * 1e3,
                    "dur": duration * 1e3, "args": {"stream": self.cuda_stream},
                }
            )  # fmt: skip
        return start, end


@dataclass
class Event:
    gpu: Gpu
    time: float | None = None

    def record(self, stream: Stream) -> None:
        self.gpu.host += self.gpu.submit_ms
        self.time = max(stream.ready, self.gpu.host)

    def query(self) -> bool:
        return self.time is None or self.gpu.host >= self.time

    def synchronize(self) -> None:
        self.gpu.host = max(self.gpu.host, self.time or 0.0)

    def elapsed_time(self, end: "Event") -> float:
        return end.time - self.time


class Tensor:
    """Numbers, where they lie, and when the last write to them ends."""

    def __init__(
        self, torch: "FakeTorch", data: np.ndarray, on_device: bool, pinned: bool = False, base=None
    ):
        self.torch, self.data, self.on_device, self.pinned = torch, data, on_device, pinned
        self.clock = base.clock if base is not None else {"written": 0.0, "before": None}

    def __getitem__(self, part: slice) -> "Tensor":
        return Tensor(self.torch, self.data[part], self.on_device, self.pinned, base=self)

    def is_pinned(self) -> bool:
        return self.pinned

    def clone(self) -> "Tensor":
        return Tensor(self.torch, self.data.copy(), self.on_device)

    def cpu(self) -> "Tensor":
        return Tensor(self.torch, self.data.copy(), False)

    def to(self, device: Any, dtype: np.dtype) -> "Tensor":
        return self.torch.on_device(self.data.astype(dtype))

    def copy_(self, source: "Tensor", non_blocking: bool = False) -> "Tensor":
        gpu, stream = self.torch.gpu, self.torch.current
        assert non_blocking, "a blocking copy cannot overlap"
        if source.on_device:
            start, _ = stream.run("sm", "Memcpy DtoD (Device -> Device)", "gpu_memcpy", 0.001)
            stale = start < source.clock["written"]
            self.data[:] = source.clock["before"] if stale else source.data
            return self
        engine = "sm" if gpu.copy_and_compute_share_an_engine else "copy"
        kind = "Pinned" if source.pinned else "Pageable"
        duration = gpu.copy_ms_per_mib * self.data.nbytes / 2**20
        _, end = stream.run(engine, f"Memcpy HtoD ({kind} -> Device)", "gpu_memcpy", duration)
        self.clock.update(written=end, before=self.data.copy())
        if not gpu.lose_copies:
            self.data[:] = source.data
        if gpu.copy_blocks_host or not source.pinned:
            gpu.host = max(gpu.host, end)
        return self

    def add_(self, value: int) -> "Tensor":
        self.data += value
        return self

    def neg_(self) -> "Tensor":
        self.data *= -1
        return self

    def fill_(self, value: float) -> "Tensor":
        self.data.fill(value)
        return self

    def random_(self, generator: Any) -> "Tensor":
        self.data[:] = generator.integers(0, 2**15, self.data.shape)
        return self

    def double(self) -> "Tensor":
        return Tensor(self.torch, self.data.astype(np.float64), self.on_device)

    def __matmul__(self, other: "Tensor") -> "Tensor":
        return Tensor(self.torch, self.data @ other.data, self.on_device)

    def sub_(self, other: "Tensor") -> "Tensor":
        self.data -= other.data
        return self

    def norm(self) -> float:
        return float(np.linalg.norm(self.data))


class FakeTorch:
    """The part of torch that the CUDA backend uses."""

    __version__ = "0.0-fake"
    int16, float16, bfloat16 = np.int16, np.float16, np.float32

    def __init__(self, gpu: Gpu):
        self.gpu = gpu
        self.current = Stream(gpu, 0)
        self.version = SimpleNamespace(cuda=gpu.cuda, hip=None)
        properties = SimpleNamespace(
            major=gpu.capability[0], minor=gpu.capability[1], multi_processor_count=8, uuid="0-0-0"
        )
        self.cuda = SimpleNamespace(
            Stream=self._stream, Event=self._event, stream=self._use, synchronize=self._synchronize,
            _sleep=self._sleep, init=self._init, device_count=lambda: 1, current_device=lambda: 0,
            get_device_capability=lambda: gpu.capability, get_arch_list=lambda: list(gpu.architectures),
            get_device_name=lambda device=None: "Fake GPU", get_device_properties=lambda device: properties,
            mem_get_info=lambda: (gpu.memory_bytes, gpu.memory_bytes), empty_cache=lambda: None,
            is_bf16_supported=lambda including_emulation=True: including_emulation or gpu.capability[0] >= 8,
            OutOfMemoryError=OutOfMemoryError,
        )  # fmt: skip
        self.profiler = SimpleNamespace(
            profile=self._profile, ProfilerActivity=SimpleNamespace(CPU="cpu", CUDA="cuda")
        )

    def device(self, kind: str, index: int) -> SimpleNamespace:
        return SimpleNamespace(type=kind, index=index)

    def on_device(self, data: np.ndarray) -> Tensor:
        if self.gpu.fail_allocations > 0:
            self.gpu.fail_allocations -= 1
            raise OutOfMemoryError("CUDA out of memory. Tried to allocate much")
        self.gpu.device_allocations += 1
        return Tensor(self, data, True)

    def empty(self, *shape: int, dtype: Any, device: Any = None, pin_memory: bool = False) -> Tensor:
        data = np.zeros(shape, dtype)
        return self.on_device(data) if device is not None else Tensor(self, data, False, pin_memory)

    def zeros(self, *shape: int, dtype: Any, device: Any) -> Tensor:
        return self.on_device(np.zeros(shape, dtype))

    def zeros_like(self, other: Tensor) -> Tensor:
        return self.on_device(np.zeros_like(other.data))

    def ones(self, size: int, device: Any) -> Tensor:
        if self.gpu.kernel_error:
            raise RuntimeError(self.gpu.kernel_error)
        return Tensor(self, np.ones(size), True)

    def randn(self, rows: int, columns: int, generator: Any) -> Tensor:
        return Tensor(self, generator.standard_normal((rows, columns)), False)

    def equal(self, first: Tensor, second: Tensor) -> bool:
        return np.array_equal(first.data, second.data)

    def matmul(self, left: Tensor, right: Tensor, out: Tensor) -> Tensor:
        self.current.run("sm", "gemm_kernel", "kernel", self.gpu.matmul_ms)
        out.data[:] = left.data @ right.data
        if self.gpu.wrong_products:
            out.data[-1, -1] += 1000
        return out

    def Generator(self) -> SimpleNamespace:  # noqa: N802 - torch's name
        return SimpleNamespace(manual_seed=np.random.default_rng)

    def _init(self) -> None:
        if self.gpu.init_error:
            raise RuntimeError(self.gpu.init_error)

    def _stream(self) -> Stream:
        self.gpu.streams_made += 1
        return Stream(self.gpu, 6 + self.gpu.streams_made)

    def _event(self, enable_timing: bool) -> Event:
        assert enable_timing
        self.gpu.events_made += 1
        return Event(self.gpu)

    @contextlib.contextmanager
    def _use(self, stream: Stream):
        before, self.current = self.current, stream
        yield
        self.current = before

    def _synchronize(self) -> None:
        self.gpu.host = max([self.gpu.host, *self.gpu.engines.values()])

    def _sleep(self, cycles: int) -> None:
        self.current.run("spin", "spin_kernel(long)", "kernel", cycles / self.gpu.cycles_per_ms)

    @contextlib.contextmanager
    def _profile(self, activities: list[str]):
        self.gpu.profile = events = []
        blind, self.gpu.blind_sessions = self.gpu.blind_sessions > 0, max(0, self.gpu.blind_sessions - 1)
        yield SimpleNamespace(
            export_chrome_trace=lambda path: Path(path).write_text(
                json.dumps({"traceEvents": [] if blind else events[self.gpu.dropped_kernels :]})
            )
        )
        self.gpu.profile = None
