"""What one submission may use. One table: the documents are made from it."""

from dataclasses import dataclass, field, fields
from typing import Any


def _limit(default: Any, what: str, enforced: str) -> Any:
    return field(default=default, metadata={"what": what, "enforced": enforced})


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one submission; :func:`table` lists them with what enforces each.

    A cell or call that the instructor's own solution finishes quickly is stopped earlier than `cell_seconds`
    and `call_seconds`: after `slowdown` times the solution's time, but never before `patience_seconds` (a
    second, if it uses names whose code was too slow before). The deadlines of cells and calls move
    on by what the processes have to wait for a processor while those of others run.
    """

    cell_seconds: float = _limit(30.0, "wall clock of one cell or one test", "the examiner's deadline")
    call_seconds: float = _limit(
        20.0, "wall clock of one call of a student's function", "the examiner's deadline"
    )
    patience_seconds: float = _limit(
        10.0, "least wall clock that a cell or call gets", "the examiner's deadline"
    )
    slowdown: float = _limit(50.0, "times slower than the instructor's solution", "the examiner's deadline")
    submission_seconds: float = _limit(240.0, "wall clock of a submission", "the examiner's deadline")
    cpu_seconds: float = _limit(240.0, "processor time of one process", "RLIMIT_CPU")
    memory_mib: int = _limit(
        2048, "memory of one process beyond the warm one; of all together", "RLIMIT_AS, watch"
    )
    scratch_mib: int = _limit(
        256, "files that it writes, /tmp and /dev/shm included", "tmpfs size, RLIMIT_FSIZE"
    )
    scratch_files: int = _limit(20_000, "number of files that it writes", "tmpfs inodes")
    processes: int = _limit(
        64, "processes and threads", "RLIMIT_NPROC in a user namespace of its own (Linux 5.14 or newer)"
    )
    open_files: int = _limit(256, "open files of one process", "RLIMIT_NOFILE")
    output_kib: int = _limit(128, "text that one cell or call prints and that is kept", "cut, with a note")
    reply_mib: int = _limit(64, "one reply of the student's process", "the examiner's reader")
    restarts: int = _limit(20, "times that its process is started again after a crash", "the examiner")


DEFAULT = Limits()


def table() -> str:
    """Return the limits as a Markdown table.

    Example:
        >>> print(table().splitlines()[2])
        | `cell_seconds` | 30.0 | wall clock of one cell or one test | the examiner's deadline |
    """
    rows = ["| limit | default | of what | enforced by |", "|---|---|---|---|"]
    for item in fields(Limits):
        rows.append(
            f"| `{item.name}` | {item.default} | {item.metadata['what']} | {item.metadata['enforced']} |"
        )
    return "\n".join(rows)
