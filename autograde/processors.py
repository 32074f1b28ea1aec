"""How many processors this process may use."""

import contextlib
import math
import os
import sys
from pathlib import Path

_CGROUPS, _OWN_CGROUPS = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


def processors() -> int:
    """Return how many processors this process may use: its affinity, and its control groups' quotas."""
    if sys.platform != "linux":
        return os.cpu_count() or 1
    return max(1, min(len(os.sched_getaffinity(0)), *_quotas()))


def _quotas() -> list[int]:
    """Return what each enclosing control group (version 2 or 1) with a quota leaves, in whole processors."""
    found = [10**6]
    with contextlib.suppress(OSError, ValueError):
        for line in _OWN_CGROUPS.read_text().splitlines():
            _, controllers, name = line.split(":", 2)
            if controllers and "cpu" not in controllers.split(","):
                continue
            root = _CGROUPS / "cpu" if controllers else _CGROUPS
            place = root / name.lstrip("/")
            found += [
                each
                for folder in (place, *place.parents[: len(place.parts) - len(root.parts)])
                for each in _quota(folder)
            ]
    return found


def _quota(folder: Path) -> list[int]:
    try:
        if (folder / "cpu.max").is_file():
            quota, period = (folder / "cpu.max").read_text().split()
        else:
            quota, period = ((folder / f"cpu.cfs_{part}_us").read_text() for part in ("quota", "period"))
        return [math.ceil(int(quota) / int(period))] if int(quota) > 0 else []
    except (OSError, ValueError):  # "max": no limit
        return []
