"""The warm process: everything is imported once, then each submission is a fork with namespaces of its own.

The *zygote* waits for requests; for each it forks a *container*, the first process of a new pid namespace.
"""

import contextlib
import gc
import importlib
import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

from autograde.student import isolation
from autograde.student.container import Container, kill_descendants
from autograde.student.helpers import compile_in_advance
from autograde.student.namespaces import fork_isolated
from autograde.student.rehearsal import rehearse
from autograde.student.shell import Shell, prepare_figures
from autograde.student.undrawn import undrawn
from autograde.wire import PeerGoneError


def main() -> None:
    """Run the zygote.

    Standard input is JSON: `control` (descriptor of the request socket), `isolate`, `drop` (uid and gid, or
    null), `preload` (modules to import), `output_limit` (characters), `font_lists` (matplotlib's, by file
    name). The first request brings a file, JSON too: `preload` (more of them), `texts` (cells to compile in
    advance), `helpers` (modules, likewise).
    """
    config: dict[str, Any] = json.load(sys.stdin)
    if config["drop"]:
        isolation.drop_root(*config["drop"])
    isolation.set_dumpable(False)
    isolation.die_with_parent(signal.SIGKILL)
    _keep_font_lists(config["font_lists"])
    sys.dont_write_bytecode = True
    shell = Shell(config["output_limit"])
    _import_all(config["preload"])
    control = socket.socket(fileno=config["control"])
    assignment = _receive_json(control)
    if assignment is None:
        return
    _import_all(assignment["preload"])
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    prepare_figures(shell, render=False)
    with undrawn():  # finds out what there is to replace, here instead of in every fork
        pass
    for text in assignment["texts"]:
        shell.prepare(text)
    compile_in_advance(assignment["helpers"])
    rehearse(shell, config["output_limit"])
    config["address_bytes"] = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf(
        "SC_PAGE_SIZE"
    )
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children are reaped by the kernel
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the grader's business
    gc.collect()
    gc.freeze()
    trouble = _try_namespaces() if config["isolate"] else ""
    control.send(trouble.encode() or b"ready")
    while True:
        data, descriptors, _, _ = socket.recv_fds(control, 16, 1)
        if not data or not descriptors:
            return
        _fork_container(control, descriptors[0], shell, config)
        os.close(descriptors[0])


def _import_all(names: list[str]) -> None:
    for name in names:
        with contextlib.suppress(Exception):  # the notebook that imports it will say so
            importlib.import_module(name)


def _receive_json(control: socket.socket) -> Any:
    """Return what the file holds that comes with the next request; None if there is none."""
    _, descriptors, _, _ = socket.recv_fds(control, 16, 1)
    if not descriptors:
        return None
    with os.fdopen(descriptors[0], "rb") as file:
        return json.load(file)


def _keep_font_lists(lists: dict[str, str]) -> None:
    folder = Path.home() / ".cache" / "matplotlib"
    for name, text in lists.items():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def _try_namespaces() -> str:
    """Fork into new namespaces a process that ends at once; return why it did not work, "" if it did."""
    reader, writer = os.pipe()
    fork_isolated(lambda: None, lambda error: os.write(writer, str(error).encode()))
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        return stream.read().decode()


def _fork_container(control: socket.socket, descriptor: int, shell: Shell, config: dict[str, Any]) -> None:
    def serve() -> None:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        control.close()
        with contextlib.suppress(PeerGoneError), socket.socket(fileno=descriptor) as ctl:
            Container(ctl, shell, config).serve()

    def failed(error: OSError) -> None:
        with socket.socket(fileno=os.dup(descriptor)) as ctl:
            ctl.send(b"E" + str(error).encode())

    if config["isolate"]:
        fork_isolated(serve, failed)
    elif os.fork() == 0:
        try:
            os.setsid()
            isolation.become_subreaper()
            serve()
        finally:
            kill_descendants()
            os._exit(0)
