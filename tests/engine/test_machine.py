"""What is refused before anything runs, what is said of a machine, and what a failed start is blamed on."""

import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from autograde import processors, sandbox
from autograde.errors import SandboxUnavailableError
from autograde.executors import LocalExecutor
from autograde.machine import check_machine, weaknesses
from autograde.sandbox import Kind, explain
from tests.engine.course_in_code import answer, assignment, check, points_of, submission

TASK = assignment(answer("def f():\n    return 1"), check("t", "assert f() == 1"))


@pytest.mark.parametrize("kind", ["bwrap", "none"])
def test_another_system_than_linux_is_refused(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(SandboxUnavailableError, match="Linux only") as caught:
        LocalExecutor(TASK, jobs=1, sandbox=kind)
    assert "\n" not in str(caught.value)


def test_a_course_that_holds_the_interpreter_is_refused() -> None:
    with pytest.raises(SandboxUnavailableError, match="holds the Python"):
        LocalExecutor(TASK, jobs=1, sandbox="bwrap", hidden=[Path(sys.base_prefix)])
    check_machine("bwrap", [Path("/srv/course"), Path(sys.base_prefix) / "share" / "course"])


def test_an_interpreter_in_tmp_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "base_prefix", "/tmp/python")
    with pytest.raises(SandboxUnavailableError, match="of its own"):
        check_machine("bwrap")
    check_machine("none")


def test_an_old_kernel_and_an_unknown_machine_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "release", lambda: "6.1.0-13-amd64")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    assert weaknesses() == []
    monkeypatch.setattr(platform, "release", lambda: "5.4.0-150-generic")
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert ["5.4.0" in line or "riscv64" in line for line in weaknesses()] == [True, True]


def test_each_cause_of_a_failed_start_has_its_own_advice() -> None:
    namespaces = explain("bwrap", "bwrap: setting up uid map: Permission denied\n")
    python = explain(
        "bwrap", "Traceback (most recent call last):\nModuleNotFoundError: No module named 'x'\n"
    )
    unreadable = explain("bwrap", "bwrap: execvp /root/python: Permission denied\n")
    late = explain("bwrap", "", late=True)
    bare = explain("none", "ModuleNotFoundError: No module named 'x'")
    assert "user namespaces" in namespaces and "uid map" in namespaces
    for text in (python, unreadable, bare):
        assert "user namespaces" not in text and "read" in text
    assert "--sandbox none" not in bare and "No module named 'x'" in bare
    assert "not ready" in late and "user namespaces" not in late


def test_lists_of_fonts_are_looked_for_where_matplotlib_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "matplotlib").mkdir()
    (tmp_path / "matplotlib" / "fontlist-v1.json").write_text("{}")
    monkeypatch.delenv("MPLCONFIGDIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert sandbox._font_lists() == {"fontlist-v1.json": "{}"}
    (tmp_path / "matplotlib" / "fontlist-v2.json").symlink_to(tmp_path / "nowhere")
    assert "fontlist-v2.json" not in sandbox._font_lists()
    monkeypatch.delenv("XDG_CACHE_HOME")

    def no_home() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(Path, "home", no_home)
    assert sandbox._font_lists() == {}


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandbox_works")
def test_packages_in_tmp_are_seen() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="autograde-packages-") as folder:
        Path(folder).chmod(0o755)
        packages = Path(folder, "site-packages")
        packages.mkdir()
        (packages / "only_in_tmp.py").write_text("VALUE = 7\n")
        program = (
            "import sys; sys.path.append(sys.argv[1])\n"
            "from tests.engine.test_machine import grade_with_a_package; print(grade_with_a_package())"
        )
        checkout = Path(__file__).resolve().parents[2]
        done = subprocess.run(
            [sys.executable, "-c", program, str(packages)],
            cwd=checkout,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.stdout.strip() == "1.0", done.stderr


def grade_with_a_package() -> float | None:
    task = assignment(answer("def f():\n    return 7"), check("t", "assert f() == 7"))
    text = "def f():\n    import only_in_tmp\n    return only_in_tmp.VALUE"
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if "autograde-packages-" in path)
    with LocalExecutor(task, jobs=1, sandbox="bwrap") as executor:
        (finished,) = executor.run([submission(task, {"answer": text})])
    return points_of(finished)["t"]


def test_who_imports_this_keeps_every_module() -> None:
    program = "import sys, autograde.executors; sys.exit(None in sys.modules.values())"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize("line", ["0::/a/b", "3:cpu,cpuacct:/a/b"])
def test_processors_are_what_affinity_and_quotas_leave(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    monkeypatch.setattr(processors, "_CGROUPS", tmp_path)
    monkeypatch.setattr(processors, "_OWN_CGROUPS", tmp_path / "own")
    assert processors.processors() == 8
    (tmp_path / "own").write_text(f"5:memory:/else\n{line}\n")
    outer = tmp_path / "a" if line.startswith("0") else tmp_path / "cpu" / "a"
    (outer / "b").mkdir(parents=True)
    assert processors.processors() == 8
    quota(outer, line, "max" if line.startswith("0") else "-1")
    assert processors.processors() == 8
    quota(outer / "b", line, "350000")
    assert processors.processors() == 4
    quota(outer, line, "150000")
    assert processors.processors() == 2


def quota(folder: Path, line: str, microseconds: str) -> None:
    if line.startswith("0"):
        (folder / "cpu.max").write_text(f"{microseconds} 100000\n")
    else:
        (folder / "cpu.cfs_quota_us").write_text(f"{microseconds}\n")
        (folder / "cpu.cfs_period_us").write_text("100000\n")
