"""A course folder, a JupyterLab started on it as a user would, and one notebook open in it."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import nbformat
from playwright.sync_api import Locator, Page, expect

from tools.project_runtime import resolve_project_root

ROOT = resolve_project_root(Path(__file__))
ASSIGNMENT = "03_serving_overlap"
START_TIMEOUT_S = 180
TIMEOUT_MS = 120_000  # generous: the machine may be busy with something else
COURSE_FILES = (
    ".course-root", "autograde", "Makefile", "constraints.txt", "nbgrader_config.py", "pyproject.toml",
    "release", "source", "tools",
)  # fmt: skip


def copy_course(target: Path) -> Path:
    """Copy what an instructor's checkout holds, without the repository's history."""
    for name in COURSE_FILES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name)
    (target / ".venv").symlink_to(sys.prefix)
    return target


def plain_path() -> str:
    """Return PATH as a new shell has it: an activated environment could hide a missing one."""
    here = {str(Path(sys.prefix) / "bin"), str(ROOT / ".venv" / "bin")}
    return os.pathsep.join(entry for entry in os.environ["PATH"].split(os.pathsep) if entry not in here)


# each code cell's execution number: 0 before it ran, -1 while it waits
PROMPTS = """() => [...document.querySelectorAll('.jp-Notebook .jp-InputPrompt')]
    .map(prompt => prompt.textContent)
    .map(text => text.includes('*') ? -1 : parseInt(text.replace(/\\D/g, '')) || 0)"""
JUPYTER_LAB = (sys.executable, "-m", "jupyterlab", "--allow-root")
MAKE_LAB = ("make", "--old-file=.venv/.course", "lab")  # this environment is there already


@contextmanager
def start_lab(command: Sequence[str], folder: Path, home: Path) -> Iterator[str]:
    """Type a command that starts JupyterLab in a folder; yield the server's address.

    Args:
        command: `MAKE_LAB` or `JUPYTER_LAB`.
        folder: Where it is typed; becomes the server's root.
        home: An empty folder for Jupyter's settings: no token on loopback, no window, no questions.
    """
    folders = {
        name: home / name.lower()
        for name in (
            "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR",
            "JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR",
        )
    }  # fmt: skip
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    server = {"open_browser": False, "port": port, "port_retries": 50}
    settings = {"ServerApp": server, "IdentityProvider": {"token": ""}}
    _write_json(folders["JUPYTER_CONFIG_DIR"] / "jupyter_server_config.json", settings)
    news = "@jupyterlab/apputils-extension/notification.jupyterlab-settings"
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    _write_json(folders["JUPYTERLAB_SETTINGS_DIR"] / news, quiet)
    environment = {**os.environ, **{name: str(path) for name, path in folders.items()}, "PATH": plain_path()}
    log = home / "lab.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield _address(process, folders["JUPYTER_RUNTIME_DIR"], log)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _address(process: subprocess.Popen[bytes], runtime: Path, log: Path) -> str:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        for info in runtime.glob("jpserver-*.json"):
            try:
                address = json.loads(info.read_text())["url"].rstrip("/")
                urllib.request.urlopen(f"{address}/api/status", timeout=5).close()
            except (OSError, json.JSONDecodeError):
                continue
            return address
        time.sleep(0.2)
    raise AssertionError(f"no server was started:\n{log.read_text()[-3000:]}")


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def choose(page: Page, menu: str, entry: str) -> None:
    """Click an entry of a menu of the menu bar."""
    page.locator(".lm-MenuBar-itemLabel").get_by_text(menu, exact=True).click()
    page.locator(".lm-Menu-itemLabel").get_by_text(entry, exact=True).click()


class OpenNotebook:
    """One notebook in JupyterLab, driven by mouse and keyboard."""

    def __init__(self, page: Page, address: str, root: Path, name: str) -> None:
        """Open the notebook `name` (a path relative to the server's `root`)."""
        self.page = page
        self.file = root / name
        self._cell_ids = [cell.id for cell in nbformat.read(self.file, as_version=4).cells]
        page.goto(f"{address}/lab/tree/{name}?reset")
        expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible()

    def cell(self, cell_id: str) -> Locator:
        """Return the cell with this nbformat id, scrolled into view."""
        index = self._cell_ids.index(cell_id)
        cell = self.page.locator(f".jp-Notebook-cell[data-windowed-list-index='{index}']")
        cell.scroll_into_view_if_needed()
        return cell

    def run_all(self) -> None:
        """Run all cells from the menu and wait until the kernel has nothing left to do."""
        before = max(self.page.evaluate(PROMPTS))
        choose(self.page, "Run", "Run All Cells")
        done = f"""before => {{
            const counts = ({PROMPTS})();
            return Math.max(...counts) > before && !counts.includes(-1);
        }}"""
        self.page.wait_for_function(done, arg=before)

    def replace_stub(self, cell_id: str, code: str) -> None:
        """Type one line over the first line of a cell that raises NotImplementedError."""
        line = self.cell(cell_id).locator(".cm-line", has_text="raise NotImplementedError").first
        line.click()
        self.page.keyboard.press("Home")
        self.page.keyboard.press("Shift+End")
        self.page.keyboard.type(code)
        self.page.keyboard.press("Escape")

    def validate(self) -> Locator:
        """Press nbgrader's Validate button; return the dialog with its answer."""
        self.page.get_by_role("button", name="Validate").click()
        dialog = self.page.locator(".jp-Dialog-content", has_text="Validation Results")
        dialog.wait_for()
        return dialog
