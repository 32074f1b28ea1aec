"""What went wrong, with its right cause and a next step; a bug of ours is never called an environment."""

import traceback
from dataclasses import dataclass
from typing import Any

from tools.overlap.cuda_device import first_line
from tools.overlap.errors import DeviceError


@dataclass(frozen=True)
class Cause:
    """A kind of failure.

    Attributes:
        is_environment: Whether the machine must change, and not the code.
        zh: Next step, in Chinese.
        en: Next step, in English.
    """

    is_environment: bool
    zh: str
    en: str


CAUSES = {
    "no_torch": Cause(
        True,
        "没有安装 PyTorch：执行 pip install torch，或把 RUN_MODE 改为 cpu_threads。",
        "PyTorch is not installed: pip install torch, or set RUN_MODE to cpu_threads.",
    ),
    "torch_without_cuda": Cause(
        True,
        "装的是不带 CUDA 的 PyTorch：在有 NVIDIA GPU 的机器上安装 CUDA 版，或把 RUN_MODE 改为 cpu_threads。",
        "This PyTorch is built without CUDA: install a CUDA build on a machine with an NVIDIA GPU, or set "
        "RUN_MODE to cpu_threads.",
    ),
    "no_driver": Cause(
        True,
        "找不到 NVIDIA 驱动：在云端先把运行时换成 GPU 类型；在自己的机器上先装驱动，直到 nvidia-smi 能运行。",
        "No NVIDIA driver was found: on a cloud, switch the runtime to a GPU type first; on your own "
        "machine, install the driver until nvidia-smi works.",
    ),
    "driver_too_old": Cause(
        True,
        "驱动比 PyTorch 要求的旧：升级驱动，或安装为较低 CUDA 版本编译的 PyTorch。",
        "The driver is older than this PyTorch needs: update it, or install a PyTorch built for an older "
        "CUDA.",
    ),
    "no_gpu": Cause(
        True,
        "驱动在，却看不到 GPU：检查 CUDA_VISIBLE_DEVICES 是否为空，以及运行时类型是否为 GPU。",
        "There is a driver but no visible GPU: check that CUDA_VISIBLE_DEVICES is not empty and that the "
        "runtime has a GPU.",
    ),
    "cuda_init_failed": Cause(
        True,
        "CUDA 初始化失败：重启内核再试；仍不行就看 nvidia-smi 能否运行，其结果是什么。",
        "CUDA could not be initialised: restart the kernel and try again; if it stays, see what nvidia-smi "
        "says.",
    ),
    "unsupported_architecture": Cause(
        True,
        "这块 GPU 的架构不在 PyTorch 安装包里（例如 P100 是 sm_60）：换 T4 或更新的 GPU，"
        "或安装仍支持它的旧版 PyTorch。",
        "This PyTorch has no code for this GPU (a P100 is sm_60, for example): take a T4 or newer, or an "
        "older PyTorch that still has it.",
    ),
    "out_of_memory": Cause(
        True,
        "显存或锁页内存不够，缩小矩阵后仍不够：关掉占用显存的其他程序，或减小 PAYLOAD_MIB。",
        "Not enough GPU or pinned memory, even with a smaller matrix: close other programs on the GPU, or "
        "use smaller PAYLOAD_MIB.",
    ),
    "gpu_busy": Cause(
        True,
        "GPU 被别的进程独占：等它结束，或换一块 GPU。",
        "Another process holds the GPU exclusively: wait for it, or take another GPU.",
    ),
    "hardware_fault": Cause(
        True,
        "GPU 报告硬件错误：重启实例，或换一台机器。",
        "The GPU reports a hardware fault: restart the instance, or take another machine.",
    ),
    "copy_blocks_host": Cause(
        True,
        "本应异步的调用在等 GPU（常见于 CUDA_LAUNCH_BLOCKING=1、机密计算模式或极慢的主机）："
        "取消该设置，或换一台机器。",
        "A call that should be asynchronous waits for the GPU (CUDA_LAUNCH_BLOCKING=1, confidential "
        "computing, or a very slow host): unset it, or take another machine.",
    ),
    "interrupted": Cause(
        False,
        "运行被中断，已完成的载荷保留在文件里：重新运行即可。",
        "The run was interrupted; the payloads that were finished are kept in the file: run it again.",
    ),
    "internal_error": Cause(
        False,
        "这是实验代码自己的错误，不是环境问题：请把结果文件里的 traceback 附在问题报告中。",
        "This is a fault of the experiment's own code, not of your machine: please report it with the "
        "traceback in the result file.",
    ),
}
WITHOUT_CUDA = ("no_torch", "torch_without_cuda", "no_driver", "driver_too_old", "no_gpu", "cuda_init_failed")
_TEXTS = (
    ("no kernel image is available", "unsupported_architecture"),
    ("out of memory", "out_of_memory"),
    ("not enough memory", "out_of_memory"),  # torch's allocator on the host
    ("cublas_status_alloc_failed", "out_of_memory"),
    ("devices are busy or unavailable", "gpu_busy"),
    ("device is busy or unavailable", "gpu_busy"),
    ("uncorrectable ecc error", "hardware_fault"),
    ("gpu is lost", "hardware_fault"),
    ("driver version is insufficient", "driver_too_old"),
    ("found no nvidia driver", "no_driver"),
)


def classify(problem: BaseException) -> str:
    """Return the kind of a failure, a key of `CAUSES`; what nothing recognises is our own fault.

    CUDA's own errors are read only from the types that torch raises for them, so that a text of ours that
    happens to mention memory stays what it is.

    Example:
        >>> classify(KeyboardInterrupt()), classify(MemoryError()), classify(KeyError("out of memory"))
        ('interrupted', 'out_of_memory', 'internal_error')
    """
    if isinstance(problem, DeviceError):
        return problem.kind
    if isinstance(problem, KeyboardInterrupt):
        return "interrupted"
    if isinstance(problem, MemoryError):
        return "out_of_memory"
    if isinstance(problem, RuntimeError):  # torch's OutOfMemoryError and AcceleratorError are RuntimeErrors
        text = str(problem).lower()
        return next((kind for words, kind in _TEXTS if words in text), "internal_error")
    return "internal_error"


def describe(problem: BaseException, stage: str) -> dict[str, Any]:
    """Return the result's `failure` entry.

    Args:
        problem: What was raised.
        stage: What was being done.
    """
    kind = classify(problem)
    cause = CAUSES[kind]
    return {
        "type": type(problem).__name__,
        "message": first_line(str(problem)) if str(problem) else type(problem).__name__,
        "kind": kind,
        "is_environment": cause.is_environment,
        "stage": stage,
        "next_step": {"zh": cause.zh, "en": cause.en},
        "traceback": "".join(traceback.format_exception(problem)),
    }
