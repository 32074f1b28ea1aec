"""The warm process: everything is imported once, then each submission is a fork with namespaces of its own.

Three kinds of process: the *zygote* waits for requests; for each it forks
a *container*, the first process of a new pid namespace, which mounts the scratch folder, starts, interrupts
and ends the *kernel* (the student's process) as the examiner says, and whose end ends everything in it.
"""

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
from pathlib import Path
from typing import Any

from autograde.plain_data import Bounds, decode
from autograde.student import isolation, kernel
from autograde.student.shell import Shell, prepare_figures
from autograde.student.zygote_report import REPORT
from autograde.wire import PeerGoneError, receive_blocking


def main() -> None:
    """Run the zygote.

    Standard input is JSON: `control` (descriptor of the request socket), `isolate`, `drop` (uid and gid, or
    null), `preload` (modules to import), `output_limit` (characters), `texts` (cells to compile in advance),
    `font_lists` (matplotlib's, by file name).
    """
    config: dict[str, Any] = json.load(sys.stdin)
    if config["drop"]:
        isolation.drop_root(*config["drop"])
    isolation.set_dumpable(False)
    isolation.die_with_parent(signal.SIGKILL)
    _keep_font_lists(config["font_lists"])
    shell = Shell(config["output_limit"])
    for name in config["preload"]:
        with contextlib.suppress(Exception):  # the notebook that imports it will say so
            importlib.import_module(name)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    prepare_figures(shell, render=False)
    for text in config["texts"]:
        shell.prepare(text)
    config["address_bytes"] = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf(
        "SC_PAGE_SIZE"
    )
    control = socket.socket(fileno=config["control"])
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
        if os.fork() == 0:
            status = 1
            try:
                control.close()
                _enter(socket.socket(fileno=descriptors[0]), shell, config)
                status = 0
            finally:
                os._exit(status)
        os.close(descriptors[0])


def _keep_font_lists(lists: dict[str, str]) -> None:
    folder = Path.home() / ".cache" / "matplotlib"
    for name, text in lists.items():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def _try_namespaces() -> str:
    """Enter new namespaces in a fork that ends at once; return why it did not work, "" if it did."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            isolation.unshare_all()
        except OSError as error:
            os.write(writer, str(error).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        return stream.read().decode()


def _enter(ctl: socket.socket, shell: Shell, config: dict[str, Any]) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if config["isolate"]:
        try:
            isolation.unshare_all()
        except OSError as error:
            ctl.send(b"E" + str(error).encode())
            return
        if os.fork():
            return
    else:
        os.setsid()
        isolation.become_subreaper()
    try:
        Container(ctl, shell, config).serve()
    except PeerGoneError:
        return
    finally:
        if not config["isolate"]:
            _kill_descendants()


class Container:
    """One submission's processes, seen from the first of them.

    Args:
        ctl: The examiner's commands: ``K`` with a socket starts a kernel, ``I`` interrupts it, ``X`` ends it
            and all that it started, ``E`` ends the container.
        shell: The prebuilt interpreter.
        config: The zygote's configuration.
    """

    def __init__(self, ctl: socket.socket, shell: Shell, config: dict[str, Any]):
        self._ctl = ctl
        self._shell = shell
        self._config = config
        self._kernel = 0  # process id; 0: none is running
        self._number = 0
        self._peak_kib = 0

    def serve(self) -> None:
        """Set the scratch folder up, report readiness, obey until the end."""
        spec = decode(receive_blocking(self._ctl), Bounds(max_bytes=2**30))  # ours: all files of a submission
        self._limits = spec["limits"]
        self._scratch = spec["scratch"]
        self._work = f"{self._scratch}/work"
        try:
            self._populate(spec)
        except OSError as error:
            self._ctl.send(b"E" + str(error).encode())
            return
        pidfd = os.pidfd_open(os.getpid())
        socket.send_fds(self._ctl, [b"R"], [pidfd])
        os.close(pidfd)
        wake, woken = socket.socketpair()
        woken.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
        poll = select.poll()
        poll.register(self._ctl, select.POLLIN)
        poll.register(wake, select.POLLIN)
        while True:
            ready = [fd for fd, _ in poll.poll()]
            if wake.fileno() in ready:
                wake.recv(4096)
                self._reap(os.WNOHANG)
            if self._ctl.fileno() in ready and not self._obey():
                return

    def _populate(self, spec: dict[str, Any]) -> None:
        if self._config["isolate"]:
            isolation.mount_scratch(self._scratch, self._limits["scratch_mib"], self._limits["scratch_files"])
            isolation.drop_capabilities()
        Path(self._work).mkdir()
        for name, content in spec["files"].items():
            path = Path(self._work, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        for name, target in spec["links"].items():
            path = Path(self._work, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(target)

    def _obey(self) -> bool:
        command, descriptors, _, _ = socket.recv_fds(self._ctl, 1, 1)
        if command == b"K":
            self._start(socket.socket(fileno=descriptors[0]))
        elif command == b"I" and self._kernel:
            os.kill(self._kernel, signal.SIGINT)
        elif command == b"X":
            self._end_all()
        elif command in (b"E", b""):
            self._end_all()
            self._report(0)
            return False
        return True

    def _start(self, wire: socket.socket) -> None:
        self._number += 1
        self._kernel = os.fork()
        if self._kernel:
            wire.close()
            return
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._ctl.close()
            limits = self._limits
            isolation.set_limits(
                address_bytes=self._config["address_bytes"] + limits["memory_mib"] * 2**20,
                file_bytes=limits["scratch_mib"] * 2**20,
                processes=limits["processes"] if self._config["isolate"] else None,
                open_files=limits["open_files"],
                cpu_seconds=int(limits["cpu_seconds"]),
            )
            if self._config["isolate"]:
                isolation.filter_system_calls()
            output = self._config["output_limit"]
            kernel.start(wire, self._shell, output_limit=output, scratch=self._scratch, work=self._work)
        finally:
            os._exit(0)

    def _reap(self, flags: int) -> None:
        while True:
            try:
                pid, status, usage = os.wait4(-1, flags)
            except ChildProcessError:
                return
            if not pid:
                return
            self._peak_kib = max(self._peak_kib, usage.ru_maxrss)
            if pid == self._kernel:
                self._kernel = 0
                self._kill_others()  # what a dead kernel left behind ends with it
                self._report(status)

    def _end_all(self) -> None:
        self._kill_others()
        self._reap(0)

    def _kill_others(self) -> None:
        if self._config["isolate"]:
            try:
                os.kill(-1, signal.SIGKILL)  # everything in this pid namespace but its first process
            except ProcessLookupError:
                return
        else:
            _kill_descendants()

    def _report(self, status: int) -> None:
        self._ctl.send(REPORT.pack(b"D", self._number, status, self._peak_kib))


def _kill_descendants() -> None:
    """Without a pid namespace: end every descendant, orphans included (they are adopted by this process)."""
    for _ in range(50):
        children: dict[int, list[int]] = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    stat = (entry / "stat").read_text()
                except OSError:
                    continue
                state, parent = stat.rpartition(")")[2].split()[:2]
                if state != "Z":
                    children.setdefault(int(parent), []).append(int(entry.name))
        found, todo = [], [os.getpid()]
        while todo:
            below = children.get(todo.pop(), [])
            found += below
            todo += below
        if not found:
            return
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
