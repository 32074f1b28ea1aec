# Replaces the kernel's encoder by one that sends malformed bytes.
import sys

kernel = sys.modules["autograde.student.kernel"]
kernel.encode = lambda *args, **kwargs: b"\xff" * 64


def spread(values):
    return {"low": 0, "high": 0, "spread": -1}
