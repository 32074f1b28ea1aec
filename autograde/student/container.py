"""The first process of a submission's: its scratch folder, its limits, and the end of all that it started."""

import marshal
import os
import select
import signal
import socket
from pathlib import Path
from typing import Any

from autograde.student import isolation, kernel
from autograde.student.shell import Shell
from autograde.student.zygote_report import REPORT
from autograde.wire import receive_blocking


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
        spec = marshal.loads(receive_blocking(self._ctl))
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
            kill_descendants()

    def _report(self, status: int) -> None:
        self._ctl.send(REPORT.pack(b"D", self._number, status, self._peak_kib))


def kill_descendants() -> None:
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
