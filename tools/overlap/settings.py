"""What one run measures, checked before anything is measured."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tools.overlap.errors import SettingsError

DRY_RUN, CPU_THREADS, REAL_GPU = RUN_MODES = ("dry_run", "cpu_threads", "real_gpu")
ENVIRONMENT_PROFILE = "INF-CUDA-MECHANISM"
WINDOW_RATIOS = (0.25, 0.5, 1.0, 2.0, 4.0)
MIB = 1024 * 1024
_LABEL = re.compile(r"[A-Za-z0-9._-]{1,64}")
_LIMITS = {"matrix_size": (64, 16384), "warmup_steps": (1, 1000), "repeat_steps": (1, 10000)}
_ENVIRONMENT = ("RUN_MODE", "RUN_LABEL", "PAYLOAD_MIB", "REPEAT_STEPS")


def _whole(name: str, value: object, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise SettingsError(f"{name} is {value!r}: give a whole number from {low} to {high}")
    return value


@dataclass(frozen=True)
class Settings:
    """The settings of one run; the names are the notebook's constants in lower case.

    Attributes:
        run_mode: ``"dry_run"``, ``"cpu_threads"`` or ``"real_gpu"``.
        run_label: Name of the run, part of its file's name: 1 to 64 of ``A-Z a-z 0-9 . _ -``.
        environment_profile: Which of the course's environments this is.
        payload_mib: Sizes of the copy, MiB, all different.
        matrix_size: Edge of the square matrices of the seed's fixed compute window; a multiple of 64.
        warmup_steps: Untimed runs before the timed ones.
        repeat_steps: Timed serial/overlap pairs for each case.
        seed: Of operands, payloads and the bootstrap.
        window_ratios: Calibrated compute windows as multiples of the isolated copy.

    Raises:
        SettingsError: If a value cannot be used; the message says what is allowed.

    Example:
        >>> Settings(run_mode="real-gpu")
        Traceback (most recent call last):
        ...
        tools.overlap.errors.SettingsError: RUN_MODE is 'real-gpu': use one of dry_run, cpu_threads, real_gpu
    """

    run_mode: str = DRY_RUN
    run_label: str = "default"
    environment_profile: str = ENVIRONMENT_PROFILE
    payload_mib: tuple[int, ...] = (16, 64, 128)
    matrix_size: int = 2048
    warmup_steps: int = 5
    repeat_steps: int = 20
    seed: int = 42
    window_ratios: tuple[float, ...] = field(default=WINDOW_RATIOS)

    def __post_init__(self) -> None:
        """Refuse what cannot be measured; turn lists into tuples."""
        if self.run_mode not in RUN_MODES:
            raise SettingsError(f"RUN_MODE is {self.run_mode!r}: use one of {', '.join(RUN_MODES)}")
        if not isinstance(self.run_label, str) or not _LABEL.fullmatch(self.run_label):
            raise SettingsError(
                f"RUN_LABEL is {self.run_label!r}: use 1 to 64 letters, digits, dots, underscores or hyphens"
            )
        if self.environment_profile != ENVIRONMENT_PROFILE:
            raise SettingsError(
                f"ENVIRONMENT_PROFILE is {self.environment_profile!r}: "
                f"this experiment knows only {ENVIRONMENT_PROFILE}"
            )
        for name, (low, high) in _LIMITS.items():
            _whole(name.upper(), getattr(self, name), low, high)
        _whole("SEED", self.seed, 0, 2**32 - 1)
        if self.matrix_size % 64:
            raise SettingsError(f"MATRIX_SIZE is {self.matrix_size}: give a multiple of 64")
        self._check_payloads()
        ratios = tuple(self.window_ratios)
        if not ratios or not all(isinstance(r, (int, float)) and 0 < r <= 16 for r in ratios):
            raise SettingsError(f"window_ratios is {ratios!r}: give numbers above 0, at most 16")
        object.__setattr__(self, "window_ratios", tuple(float(r) for r in ratios))

    def _check_payloads(self) -> None:
        payloads = self.payload_mib
        if isinstance(payloads, str) or not isinstance(payloads, (list, tuple)) or not payloads:
            raise SettingsError(
                f"PAYLOAD_MIB is {payloads!r}: give a list of sizes in MiB, such as [16, 64, 128]"
            )
        for size in payloads:
            _whole("an entry of PAYLOAD_MIB", size, 1, 8192)
        if len(set(payloads)) != len(payloads):
            raise SettingsError(f"PAYLOAD_MIB is {payloads!r}: each size once")
        object.__setattr__(self, "payload_mib", tuple(payloads))

    def with_environment(self, environ: Mapping[str, str] | None = None) -> "Settings":
        """Return these settings with RUN_MODE, RUN_LABEL, PAYLOAD_MIB or REPEAT_STEPS from outside.

        So a test or a cloud can drive a notebook without editing it. An empty variable counts as unset.

        Args:
            environ: Where to look; the process's environment if None.

        Raises:
            SettingsError: If a variable has a value that cannot be used.

        Example:
            >>> Settings().with_environment({"PAYLOAD_MIB": "1,2"}).payload_mib
            (1, 2)
        """
        environ = os.environ if environ is None else environ
        found = {name: environ[name].strip() for name in _ENVIRONMENT if environ.get(name, "").strip()}
        changes: dict[str, object] = {}
        try:
            for name, text in found.items():
                if name == "PAYLOAD_MIB":
                    changes["payload_mib"] = tuple(int(part) for part in text.split(","))
                elif name == "REPEAT_STEPS":
                    changes["repeat_steps"] = int(text)
                else:
                    changes[name.lower()] = text
        except ValueError:
            raise SettingsError(
                f"environment variable {name} is {text!r}: give whole numbers, several separated by commas"
            ) from None
        return replace(self, **changes)  # type: ignore[arg-type]
