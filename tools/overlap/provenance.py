"""Where, when and with what a run was made."""

import hashlib
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tools.notebook_runtime import package_version

PACKAGE = Path(__file__).resolve().parent


def now() -> str:
    """Return the time in UTC, to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def framework() -> dict[str, str]:
    """Return the versions that a timing may depend on."""
    names = ("torch", "numpy", "cuda-bindings")
    return {"python": platform.python_version(), **{name: package_version(name) for name in names}}


def machine() -> dict[str, Any]:
    """Return the system, the processor and how busy it is; no names of hosts or users."""
    load = os.getloadavg() if hasattr(os, "getloadavg") else None
    return {
        "os": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "processor": processor(),
        "cores_usable": len(usable_cores()),
        "load_average_at_start": None if load is None else [round(value, 2) for value in load],
    }


def source() -> dict[str, Any]:
    """Return which code measured: a hash of this package's modules, and the commit where there is one."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    tracked = _git(
        "ls-files", "--error-unmatch", Path(__file__).name
    )  # a copy in someone's repository is not
    commit = _git("rev-parse", "HEAD") if tracked else None
    dirty = _git("status", "--porcelain", "--", str(PACKAGE)) if commit else None
    return {
        "sha256": digest.hexdigest(),
        "git_commit": commit,
        "git_dirty": None if dirty is None else bool(dirty),
    }


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=PACKAGE, capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def usable_cores() -> list[int]:
    """Return the numbers of the cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def processor() -> str:
    """Return the processor's model, as far as the system tells it."""
    if sys.platform.startswith("linux"):
        try:
            lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            lines = []
        for line in lines:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
