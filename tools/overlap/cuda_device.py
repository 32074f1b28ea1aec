"""Is there a GPU that this torch can use, and what is it? What can be absent is null with a reason."""

import ctypes
import ctypes.util
import os
import platform
import re
import subprocess
import sys
import warnings
from typing import Any

from tools.overlap.errors import DeviceError

ASYNC_ENGINE_COUNT = 40  # cudaDevAttrAsyncEngineCount; the driver's enum has the same number
SMI_STATE = (
    "pcie.link.gen.current", "pcie.link.width.current", "clocks.sm", "clocks.mem", "power.draw",
    "temperature.gpu", "clocks_throttle_reasons.active", "utilization.gpu", "memory.used",
)  # fmt: skip
SMI_FACTS = (
    "name", "uuid", "driver_version", "pcie.link.gen.max", "pcie.link.width.max", "clocks.max.sm",
    "clocks.max.mem", "power.limit", "memory.total", "mig.mode.current", "compute_mode",
    "driver_model.current",
)  # fmt: skip
_TEXTS = ("name", "uuid", "driver_version")
# NVML's bits of "why the clocks are not higher"
THROTTLE_BITS = {
    0x1: "gpu_idle", 0x2: "applications_clocks_setting", 0x4: "sw_power_cap", 0x8: "hw_slowdown",
    0x10: "sync_boost", 0x20: "sw_thermal_slowdown", 0x40: "hw_thermal_slowdown",
    0x80: "hw_power_brake_slowdown", 0x100: "display_clock_setting",
}  # fmt: skip
_INIT_CAUSES = (
    ("found no nvidia driver", "no_driver"),
    ("driver on your system is too old", "driver_too_old"),
    ("no cuda gpus are available", "no_gpu"),
    ("no cuda-capable device", "no_gpu"),
    ("forward compatibility", "driver_too_old"),
)


def load_torch() -> Any:
    """Import torch, or say that it is missing.

    Raises:
        DeviceError: ``no_torch``.
    """
    try:
        import torch
    except ImportError as problem:
        raise DeviceError("no_torch", f"torch cannot be imported: {problem}") from problem
    return torch


def open_device(torch: Any) -> Any:
    """Return the current CUDA device after its first kernel has run.

    Args:
        torch: The torch module.

    Raises:
        DeviceError: With the cause, see `tools.overlap.failures.CAUSES`.
    """
    if torch.version.cuda is None:
        build = "a ROCm build" if getattr(torch.version, "hip", None) else "a CPU-only build"
        raise DeviceError("torch_without_cuda", f"torch {torch.__version__} is {build}")
    with warnings.catch_warnings():  # torch warns about what is raised below with its cause
        warnings.simplefilter("ignore")
        try:
            torch.cuda.init()
            if torch.cuda.device_count() == 0:
                raise RuntimeError("No CUDA GPUs are available")
        except (RuntimeError, AssertionError) as problem:
            text = str(problem)
            kind = next((k for words, k in _INIT_CAUSES if words in text.lower()), "cuda_init_failed")
            raise DeviceError(kind, first_line(text)) from problem
        capability = torch.cuda.get_device_capability()
        architectures = torch.cuda.get_arch_list()
    name = torch.cuda.get_device_name()
    if not architecture_supported(capability, architectures):
        raise DeviceError(
            "unsupported_architecture",
            f"{name} is sm_{capability[0]}{capability[1]}; torch {torch.__version__} is built for "
            f"{' '.join(architectures)}",
        )
    device = torch.device("cuda", torch.cuda.current_device())
    torch.ones(1, device=device).add_(1)
    torch.cuda.synchronize()  # allocation alone succeeds on an unsupported GPU: only a kernel tells
    return device


def architecture_supported(capability: tuple[int, int], architectures: list[str]) -> bool:
    """Say whether a wheel built for these architectures has code for a GPU of this capability.

    Binaries (``sm_``) run on the same major and an equal or higher minor version, ``sm_90a`` on 9.0 only;
    PTX (``compute_``) on anything equal or newer. An empty list says nothing and counts as supported.

    Example:
        >>> architecture_supported((6, 0), ["sm_75", "sm_80"]), architecture_supported((8, 9), ["sm_80"])
        (False, True)
    """
    if not architectures:
        return True
    for text in architectures:
        match = re.fullmatch(r"(sm|compute)_(\d+)(\d)([af]?)", text)
        if match is None:
            continue
        kind, code, suffix = match[1], (int(match[2]), int(match[3])), match[4]
        if suffix == "a":
            matches = capability == code
        elif kind == "compute" and not suffix:
            matches = capability >= code
        else:
            matches = capability[0] == code[0] and capability[1] >= code[1]
        if matches:
            return True
    return False


def choose_dtype(torch: Any) -> tuple[str, str]:
    """Return the name of the fastest 16-bit type that this GPU computes in hardware, and why.

    A T4 says that it supports bfloat16 but emulates it, some sixteen times slower than its float16.
    """
    major, minor = torch.cuda.get_device_capability()
    try:
        native = torch.cuda.is_bf16_supported(including_emulation=False)
    except TypeError:  # torch before 2.4 has no such argument
        native = major >= 8
    if native:
        return "bfloat16", "computed in hardware"
    return "float16", f"sm_{major}{minor} has no bfloat16 in hardware"


def copy_engines(ordinal: int) -> tuple[int | None, str]:
    """Return the number of asynchronous copy engines, and where it comes from or why it is unknown."""
    try:
        from cuda.bindings import runtime

        error, count = runtime.cudaDeviceGetAttribute(
            runtime.cudaDeviceAttr.cudaDevAttrAsyncEngineCount, ordinal
        )
        if int(error) == 0:
            return int(count), "cuda-bindings"
    except Exception as problem:  # any fault here leads to the second way, which has its own reason
        del problem
    try:
        driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        device, count = ctypes.c_int(), ctypes.c_int()
        for status in (
            driver.cuInit(0),
            driver.cuDeviceGet(ctypes.byref(device), ordinal),
            driver.cuDeviceGetAttribute(ctypes.byref(count), ASYNC_ENGINE_COUNT, device),
        ):
            if status != 0:
                return None, f"the CUDA driver answered status {status}"
        return count.value, "the CUDA driver"
    except (OSError, AttributeError) as problem:
        return None, f"neither cuda-bindings nor the CUDA driver could be asked: {first_line(str(problem))}"


def query_smi(fields: tuple[str, ...], selector: str) -> tuple[dict[str, Any], str]:
    """Ask nvidia-smi; a field that it does not know or has no value for is null.

    Args:
        fields: Names for ``--query-gpu``.
        selector: UUID of the GPU.

    Returns:
        Field -> number, text or None; and "" or the reason why there is nothing.
    """
    asked = list(fields)
    while asked:
        query = f"--query-gpu={','.join(asked)}"
        command = ["nvidia-smi", query, "--format=csv,noheader,nounits", "-i", selector]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
        except (OSError, subprocess.SubprocessError) as problem:
            return dict.fromkeys(fields), f"nvidia-smi could not be run: {first_line(str(problem))}"
        unknown = re.search(r'Field "([^"]+)" is not a valid field', done.stdout + done.stderr)
        if done.returncode == 0 and done.stdout.strip():
            values = [part.strip() for part in done.stdout.strip().splitlines()[0].split(",")]
            known = dict(zip(asked, values, strict=False))
            return {field: _value(field, known.get(field, "")) for field in fields}, ""
        if unknown is None or unknown[1] not in asked:
            return dict.fromkeys(fields), f"nvidia-smi failed: {first_line(done.stderr or done.stdout)}"
        asked.remove(unknown[1])
    return dict.fromkeys(fields), "nvidia-smi knows none of the fields"


def _value(field: str, text: str) -> int | float | str | None:
    if not text or text.strip("[]").lower() in (
        "n/a",
        "not supported",
        "unknown error",
        "insufficient permissions",
    ):
        return None
    if field in _TEXTS:
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def throttle_reasons(mask: object) -> list[str] | None:
    """Name the bits of nvidia-smi's active throttle reasons; None if unknown.

    Example:
        >>> throttle_reasons("0x0000000000000005")
        ['gpu_idle', 'sw_power_cap']
    """
    if isinstance(mask, str):
        try:
            mask = int(mask, 16)
        except ValueError:
            return None
    if not isinstance(mask, int):
        return None
    return [name for bit, name in THROTTLE_BITS.items() if mask & bit]


def sharing(name: str, facts: dict[str, Any]) -> dict[str, Any]:
    """Return what hints at a shared GPU: MIG, MPS, WDDM, a virtual machine's slice."""
    release = platform.release().lower()
    return {
        "mig": "MIG" in name or facts.get("mig.mode.current") == "Enabled",
        "mps": bool(os.environ.get("CUDA_MPS_PIPE_DIRECTORY")),
        "wddm": facts.get("driver_model.current") == "WDDM" or "microsoft" in release,
        "max_connections": os.environ.get("CUDA_DEVICE_MAX_CONNECTIONS"),
        "launch_blocking": os.environ.get("CUDA_LAUNCH_BLOCKING"),
    }


def sharing_notes(shared: dict[str, Any]) -> list[str]:
    """Return one line for each thing that can stretch times or forbid overlap on this GPU.

    Example:
        >>> sharing_notes({"max_connections": "1"})
        ['CUDA_DEVICE_MAX_CONNECTIONS=1: all streams share one hardware queue and may wait for each other']
    """
    notes = []
    if shared.get("mig") or shared.get("mps"):
        notes.append("a shared GPU (MIG or MPS): its neighbours' work is in these times")
    if shared.get("wddm"):
        notes.append("Windows schedules this GPU (WDDM): it batches launches, and small times are unsteady")
    if shared.get("max_connections") == "1":
        notes.append(
            "CUDA_DEVICE_MAX_CONNECTIONS=1: all streams share one hardware queue and may wait for each other"
        )
    if shared.get("launch_blocking") == "1":
        notes.append("CUDA_LAUNCH_BLOCKING=1: every launch waits for the GPU, so no queue can be filled")
    return notes


def first_line(text: str) -> str:
    """Return the first line that is not empty, at most 300 characters of it."""
    return next((line.strip()[:300] for line in text.splitlines() if line.strip()), "no further word")
