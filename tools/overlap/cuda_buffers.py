"""Everything the CUDA backend allocates: once, for the largest payload, fitted to the device."""

import math
from typing import Any

from tools.overlap.errors import DeviceError
from tools.overlap.settings import MIB, Settings

_POISON = 0x5A5A
_RESERVE_BYTES = 128 * MIB  # cuBLAS's workspaces and the context's own
_USABLE_SHARE = 0.9


class Buffers:
    """Source, target, mirror, operands and product; the matrix is halved once if they do not fit.

    Attributes:
        source: Pinned host memory, int16, shape (payload / 2,).
        target: Device memory that the copy fills.
        mirror: Device memory that a consumer fills from the target.
        left: Operand, shape (matrix_size, matrix_size).
        right: Operand, of the same shape.
        product: Output of every product, of the same shape.
        matrix_size: Edge of the matrices after fitting.
        memory_bytes: Free and total memory of the device before allocating.
        notes: What was shrunk and why.
    """

    def __init__(self, torch: Any, device: Any, dtype: Any, settings: Settings) -> None:
        """Allocate.

        Raises:
            DeviceError: ``out_of_memory`` if a matrix of half the size does not fit either.
        """
        self._torch, self._device, self._dtype = torch, device, dtype
        self._settings = settings
        self.notes: list[str] = []
        self.memory_bytes: tuple[int, int] = torch.cuda.mem_get_info()
        self.matrix_size = settings.matrix_size
        needed, free = self._needed_bytes(), self.memory_bytes[0]
        if needed > _USABLE_SHARE * free:
            self._shrink(f"{needed // MIB} MiB are needed and {free // MIB} MiB are free")
        try:
            self._allocate()
            fits = True
        except torch.cuda.OutOfMemoryError:
            fits = False
        if not fits:  # outside the handler: its traceback would keep the tensors alive
            self._shrink("the first attempt ran out of memory")
            self._allocate()

    def prepare(self, payload_bytes: int) -> None:
        """Take views of this size, so that nothing is allocated between payloads."""
        elements = payload_bytes // 2
        self.source, self.target = self._all_source[:elements], self._all_target[:elements]
        self.mirror = self._all_mirror[:elements]

    def disturb(self) -> None:
        """Poison the target and the product, and change what will be copied and computed."""
        self.source.add_(1)
        self.left.neg_()
        self.target.fill_(_POISON)
        self.product.fill_(math.nan)
        self._torch.cuda.synchronize()

    def copy_arrived(self) -> bool:
        """Say whether the consumer's mirror holds the source, byte for byte."""
        return bool(self._torch.equal(self.mirror.cpu(), self.source))

    def relative_error(self) -> float:
        """Return norm(product - reference) / norm(reference); NaN if anything is not finite."""
        reference = self.left.double() @ self.right.double()  # float64 is never replaced by TF32
        difference = self.product.double().sub_(reference)
        return float(difference.norm() / reference.norm())

    def free(self) -> None:
        """Drop every tensor and give the allocator's memory back; may be called twice."""
        for name in (
            "source", "target", "mirror", "_all_source", "_all_target", "_all_mirror",
            "left", "right", "product",
        ):  # fmt: skip
            self.__dict__.pop(name, None)
        self._torch.cuda.empty_cache()

    def _needed_bytes(self) -> int:
        """Target and mirror, three 16-bit matrices, and a check's three in float64."""
        payload = max(self._settings.payload_mib) * MIB
        return 2 * payload + self.matrix_size**2 * (3 * 2 + 3 * 8) + _RESERVE_BYTES

    def _shrink(self, why: str) -> None:
        """Halve the matrix, once.

        Raises:
            DeviceError: ``out_of_memory`` the second time.
        """
        if self.notes or self.matrix_size < 128:
            raise DeviceError("out_of_memory", f"{why}, with the matrix already at {self.matrix_size}")
        self.free()
        self.matrix_size //= 2
        self.notes.append(f"matrix shrunk to {self.matrix_size}: {why}")

    def _allocate(self) -> None:
        torch, size = self._torch, self.matrix_size
        elements = max(self._settings.payload_mib) * MIB // 2
        generator = torch.Generator().manual_seed(self._settings.seed)
        self._all_source = torch.empty(elements, dtype=torch.int16, pin_memory=True)
        self._all_source.random_(generator=generator)
        self._all_target = torch.zeros(elements, dtype=torch.int16, device=self._device)
        self._all_mirror = torch.zeros_like(self._all_target)
        left, right = (torch.randn(size, size, generator=generator) for _ in range(2))
        self.left, self.right = (matrix.to(self._device, self._dtype) for matrix in (left, right))
        self.product = torch.empty(size, size, device=self._device, dtype=self._dtype)
        self.prepare(elements * 2)
        self.relative_error()  # the largest temporaries of a check: run out of memory here, not later
        torch.cuda.synchronize()
