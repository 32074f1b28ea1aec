"""What a submission's processes use: memory, processors, time lost to others; read on a clock of its own."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

_EVERY_SECONDS = 0.2
_GREEDY_TASKS = 1.5  # running or ready to run, on average between two looks
_GREEDY_LOOKS = 3  # in a row
_LOWEST_PRIORITY = 19

Times = dict[int, tuple[int, int]]  # thread id -> nanoseconds that it ran, and that it waited for a processor


@dataclass(slots=True)
class _Seen:
    at: float = field(default_factory=time.monotonic)
    times: Times = field(default_factory=dict)


class Watch:
    """Looks at a container's processes from a thread, whatever the examiner is doing meanwhile.

    It ends what holds too much memory. What wants more than one processor for a while gets one, at the lowest
    priority, so that nobody's submission is slower for it.

    Args:
        pid: The container's first process.
        memory_mib: What all of its processes may hold, beyond what they share with the warm one.
        end: Ends them.
    """

    def __init__(self, pid: int, memory_mib: int, end: Callable[[], None]):
        self._pid = pid
        self._memory_mib = memory_mib
        self._end = end
        self._base_kib = resident_kib(pid)
        self._seen = _Seen()
        self._greedy_looks = 0
        self.greedy = False
        self.verdict = ""  # why the running kernel was ended
        self.starved = 0.0  # seconds so far that it was ready to run, but others' processes ran
        self.lock = threading.Lock()  # held while a kernel is started: its forerunner's verdict is not its
        self.start()

    def start(self) -> None:
        """Begin, or go on after :meth:`stop` (also in a fork: threads do not survive one)."""
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(self._stopped,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Look no more, until started again."""
        self._stopped.set()
        self._thread.join()

    def look(self) -> float:
        """Look now; return `starved`."""
        with self.lock:
            tree = list(_tree(self._pid))
            self._look_at_processors(tree)
            # Shared memory counts once for each process: to count it once, smaps would have to be readable.
            held = sum(max(resident_kib(pid) - self._base_kib, 0) for pid in tree) / 1024
            if held > self._memory_mib and not self.verdict:
                self.verdict = f"its processes held more than {self._memory_mib} MiB of memory"
                self._end()
            return self.starved

    def _run(self, stopped: threading.Event) -> None:
        signal.pthread_sigmask(
            signal.SIG_BLOCK, signal.valid_signals()
        )  # the examiner's alarm is not for this
        while not stopped.wait(_EVERY_SECONDS):
            self.look()

    def _look_at_processors(self, tree: list[int]) -> None:
        now = _Seen(times={tid: times for pid in tree for tid, times in _task_times(pid)})
        wall = now.at - self._seen.at
        if wall <= 0:
            return
        ran, waited, longest = 0.0, 0.0, 0.0
        for tid, (run, wait) in now.times.items():
            run_before, wait_before = self._seen.times.get(tid, (0, 0))
            ran += max(run - run_before, 0) / 1e9
            waited += max(wait - wait_before, 0) / 1e9
            longest = max(longest, (wait - wait_before) / 1e9)
        self._seen = now
        self.starved += max(min(longest, wall - ran), 0.0)
        self._greedy_looks = self._greedy_looks + 1 if (ran + waited) / wall > _GREEDY_TASKS else 0
        if self.greedy or self._greedy_looks >= _GREEDY_LOOKS:
            self.greedy = True
            processors = sorted(os.sched_getaffinity(0))
            for tid in now.times:
                with contextlib.suppress(OSError):  # it has ended
                    os.setpriority(os.PRIO_PROCESS, tid, _LOWEST_PRIORITY)
                    os.sched_setaffinity(tid, {processors[self._pid % len(processors)]})


def resident_kib(pid: int) -> int:
    """Return the memory of a process that no file backs, shared and swapped included; 0 if it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    counted = ("RssAnon:", "RssShmem:", "VmSwap:")
    return sum(int(line.split()[1]) for line in lines if line.startswith(counted))


def own_waiting_seconds() -> float:
    """Return how long the main thread of this process has waited for a processor so far."""
    try:
        with open("/proc/self/schedstat", "rb", buffering=0) as file:  # noqa: PTH123  (asked often: no Path)
            return int(file.read(100).split()[1]) / 1e9
    except OSError:
        return 0.0


def _tree(pid: int) -> Iterator[int]:
    """Yield every descendant of a process."""
    todo = _children(pid)
    while todo:
        pid = todo.pop()
        yield pid
        todo += _children(pid)


def _children(pid: int) -> list[int]:
    try:
        lists = [(task / "children").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return []
    return [int(child) for text in lists for child in text.split()]


def _task_times(pid: int) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield each thread's id and times; none where the kernel does not tell (CONFIG_SCHED_INFO)."""
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            run, wait, *_ = (task / "schedstat").read_text().split()
            yield int(task.name), (int(run), int(wait))
