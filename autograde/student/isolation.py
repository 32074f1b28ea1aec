"""Mounts, resource limits and a system-call filter, by plain calls into the C library."""

import ctypes
import os
import platform
import resource
import struct
from pathlib import Path

_libc = ctypes.CDLL(None, use_errno=True)

CLONE_NEWUSER = 0x10000000

_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_BIND = 2, 4, 8, 4096
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP = 1, 4, 22
_PR_SET_NO_NEW_PRIVS, _PR_SET_CHILD_SUBREAPER = 38, 36


def check_call(result: int, what: str) -> None:
    """Raise an OSError if a call into the C library failed."""
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def set_dumpable(value: bool) -> None:
    """Allow or forbid other processes of the same user to look into this one."""
    check_call(_libc.prctl(_PR_SET_DUMPABLE, int(value), 0, 0, 0), "prctl")


def become_subreaper() -> None:
    """Adopt orphaned descendants, so that they can be found and ended."""
    check_call(_libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "prctl")


def die_with_parent(signal_number: int) -> None:
    """Have the kernel send a signal to this process when its parent ends."""
    check_call(_libc.prctl(_PR_SET_PDEATHSIG, signal_number, 0, 0, 0), "prctl")


def drop_root(uid: int, gid: int) -> None:
    """Become an ordinary user for good: the real uid 0 is exempt from RLIMIT_NPROC."""
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)


def mount_scratch(path: str, mib: int, files: int) -> None:
    """Mount a fresh tmpfs of fixed size at `path`; /dev/shm becomes a part of it, /proc empty.

    Pseudo-terminals are its own too: through shared ones, two submissions could talk.
    """
    options = f"size={mib}m,nr_inodes={files},mode=0700".encode()
    flags = ctypes.c_ulong(_MS_NOSUID | _MS_NODEV)
    check_call(_libc.mount(b"scratch", path.encode(), b"tmpfs", flags, options), "mount scratch")
    shm = f"{path}/.shm"
    Path(shm).mkdir()
    check_call(_libc.mount(shm.encode(), b"/dev/shm", None, ctypes.c_ulong(_MS_BIND), None), "mount /dev/shm")
    terminals = b"newinstance,ptmxmode=0666,mode=0600,max=8"
    if _libc.mount(b"devpts", b"/dev/pts", b"devpts", ctypes.c_ulong(_MS_NOSUID | _MS_NOEXEC), terminals):
        nothing = _libc.mount(b"none", b"/dev/pts", b"tmpfs", flags, b"size=4k,mode=0555")
        check_call(nothing, "mount /dev/pts")
    check_call(_libc.mount(b"none", b"/proc", b"tmpfs", flags, b"size=4k,mode=0555"), "mount /proc")


def drop_capabilities() -> None:
    """Give up every capability that the new user namespace brought."""
    header = struct.pack("<Ii", 0x20080522, 0)
    check_call(_libc.capset(header, bytes(24)), "capset")


def set_limits(
    *, address_bytes: int, file_bytes: int, processes: int | None, open_files: int, cpu_seconds: int
) -> None:
    """Set the resource limits of this process and of what it starts."""
    wanted = {
        resource.RLIMIT_AS: address_bytes,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_NOFILE: open_files,
        resource.RLIMIT_CPU: cpu_seconds,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    if processes is not None:
        wanted[resource.RLIMIT_NPROC] = processes
    for kind, value in wanted.items():
        _, hard = resource.getrlimit(kind)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))


# System calls that no notebook needs and that make room to break out: (x86_64, aarch64).
_DENIED = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "memfd_create": (319, 279),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "sched_setaffinity": (203, 122),  # a submission that takes too much is kept to one processor
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
}
_CLONE = (56, 220)
_CLONE3 = (435, 435)
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}


def filters_system_calls() -> bool:
    """Whether the numbers of this machine's system calls are known."""
    return platform.machine() in _ARCHITECTURES


def filter_system_calls() -> None:
    """Forbid the system calls above, and new user namespaces, where the machine's kind is known."""
    known = _ARCHITECTURES.get(platform.machine())
    if known is None:
        return
    column, audit = known
    allow, refuse = 0x7FFF0000, 0x00050000  # refuse: the call fails with the error number in the low bits
    load, equal, at_least, masked, give = 0x20, 0x15, 0x35, 0x45, 0x06
    eperm, enosys = 1, 38
    code = [
        (load, 0, 0, 4),
        (equal, 1, 0, audit),
        (give, 0, 0, refuse | eperm),  # a 32-bit call
        (load, 0, 0, 0),
    ]
    if column == 0:
        code += [(at_least, 0, 1, 0x40000000), (give, 0, 0, refuse | eperm)]  # the x32 numbers
    for numbers in _DENIED.values():
        code += [(equal, 0, 1, numbers[column]), (give, 0, 0, refuse | eperm)]
    code += [(equal, 0, 1, _CLONE3[column]), (give, 0, 0, refuse | enosys)]  # libc falls back to clone
    code += [
        (equal, 0, 3, _CLONE[column]),
        (load, 0, 0, 16),  # its flags
        (masked, 0, 1, CLONE_NEWUSER),
        (give, 0, 0, refuse | eperm),
        (give, 0, 0, allow),
    ]
    program = b"".join(struct.pack("<HBBI", *line) for line in code)
    buffer = ctypes.create_string_buffer(program, len(program))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    filter_ = Program(len(code), ctypes.addressof(buffer))
    check_call(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")
    check_call(_libc.prctl(_PR_SET_SECCOMP, 2, ctypes.byref(filter_), 0, 0), "seccomp")
