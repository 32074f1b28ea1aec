"""The buffers' arithmetic with the real torch, its tensors on the CPU: dtypes, generators, views, norms."""

import importlib.util
import math
from types import SimpleNamespace

import pytest

from tools.overlap import DeviceError, Settings
from tools.overlap.cuda import TOLERANCES
from tools.overlap.cuda_buffers import Buffers
from tools.overlap.settings import MIB, REAL_GPU

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")


class CpuTorch:
    """torch itself, with a device of this many bytes and without pinned memory."""

    def __init__(self, memory_bytes: int = 16 * 2**30):
        import torch

        self._torch = torch
        self.cuda = SimpleNamespace(
            mem_get_info=lambda: (memory_bytes, memory_bytes), empty_cache=lambda: None,
            synchronize=lambda: None, OutOfMemoryError=torch.cuda.OutOfMemoryError,
        )  # fmt: skip

    def __getattr__(self, name):
        return getattr(self._torch, name)

    def empty(self, *shape, pin_memory=False, **options):
        return self._torch.empty(*shape, **options)


def make(dtype: str = "bfloat16", memory_bytes: int = 16 * 2**30, matrix_size: int = 256) -> Buffers:
    torch = CpuTorch(memory_bytes)
    settings = Settings(run_mode=REAL_GPU, payload_mib=(1, 4), matrix_size=matrix_size)
    return Buffers(torch, torch.device("cpu"), getattr(torch, dtype), settings)


@pytest.mark.parametrize("dtype", TOLERANCES)
def test_a_right_product_is_within_the_tolerance_and_a_wrong_one_is_not(dtype):
    buffers = make(dtype)
    buffers.disturb()
    assert math.isnan(buffers.relative_error()), "a poisoned product must never pass"
    CpuTorch().matmul(buffers.left, buffers.right, out=buffers.product)
    assert buffers.relative_error() < TOLERANCES[dtype] / 2
    buffers.product[-1, -1] += 500
    assert buffers.relative_error() > TOLERANCES[dtype]


@pytest.mark.parametrize("dtype", TOLERANCES)
def test_a_product_of_the_operands_before_the_check_is_wrong(dtype):
    buffers = make(dtype)
    stale = CpuTorch().matmul(buffers.left, buffers.right)
    buffers.disturb()
    buffers.product.copy_(stale)
    assert buffers.relative_error() > 1


def test_the_mirror_is_compared_whole_and_old_bytes_do_not_pass():
    buffers = make()
    buffers.prepare(MIB)
    assert buffers.source.shape == buffers.target.shape == buffers.mirror.shape == (MIB // 2,)
    buffers.target.copy_(buffers.source)
    buffers.mirror.copy_(buffers.target)
    assert buffers.copy_arrived()
    buffers.disturb()
    assert not buffers.copy_arrived()
    buffers.target.copy_(buffers.source)
    buffers.mirror.copy_(buffers.target)
    assert buffers.copy_arrived()
    buffers.mirror[-1] += 1
    assert not buffers.copy_arrived()


def test_the_same_seed_gives_the_same_content():
    first, second = make(), make()
    torch = CpuTorch()
    assert torch.equal(first.source, second.source) and torch.equal(first.left, second.left)
    assert not torch.equal(first.left, first.right)


def test_views_share_their_memory_so_that_nothing_is_allocated_between_payloads():
    buffers = make()
    addresses = set()
    for size in (MIB, 4 * MIB):
        buffers.prepare(size)
        addresses.add((buffers.source.data_ptr(), buffers.target.data_ptr()))
    assert len(addresses) == 1


def test_a_device_too_small_for_half_the_matrix_is_refused_with_its_numbers():
    with pytest.raises(DeviceError, match="already at 64"):
        make(memory_bytes=MIB, matrix_size=64)
