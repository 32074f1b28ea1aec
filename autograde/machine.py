"""Whether submissions can be run on this machine, and what protects them less well here."""

import os
import platform
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from autograde.errors import SandboxUnavailableError
from autograde.sandbox import SCRATCH, Kind
from autograde.student.isolation import filters_system_calls


def check_machine(kind: Kind, hidden: Sequence[Path] = ()) -> None:
    """Refuse a machine or a layout of folders with which submissions cannot be run at all.

    Args:
        kind: How they are to be run.
        hidden: Folders that they must not see.

    Raises:
        SandboxUnavailableError: If so; with what to do.
    """
    if sys.platform != "linux":
        raise SandboxUnavailableError(
            "Submissions run on Linux only, with a sandbox or without: use a Linux machine, container or "
            "virtual machine (on Windows: WSL 2)."
        )
    if kind == "none":
        return
    python = Path(os.path.realpath(sys.executable))
    for folder in hidden:
        shown = folder.is_relative_to(sys.base_prefix) or folder.is_relative_to("/usr")
        if shown and python.is_relative_to(folder):
            raise SandboxUnavailableError(
                f"The course {folder} holds the Python that runs here ({python}), which submissions have to "
                "see: move the course to a folder of its own."
            )
    if Path(sys.base_prefix).is_relative_to(SCRATCH):
        raise SandboxUnavailableError(
            f"Python lies in {sys.base_prefix}, and each submission has a {SCRATCH} of its own: install it "
            "elsewhere, or accept the risk with --sandbox none."
        )


def weaknesses() -> list[str]:
    """Return what the sandbox cannot do on this machine, a line each."""
    found = []
    version = tuple(int(part) for part in re.findall(r"\d+", platform.release())[:2])
    if version < (5, 14):
        found.append(
            f"Linux {platform.release()} counts the processes of all submissions together: one that starts "
            "many can keep others from starting any (5.14 and newer count them apart)"
        )
    if not filters_system_calls():
        found.append(f"system calls are not filtered on this kind of machine ({platform.machine()})")
    return found
