"""What a container tells the examiner about a kernel that ended."""

import struct

REPORT = struct.Struct(
    "<cIiQ"
)  # b"D", the kernel's number, its wait status, its largest resident memory in KiB
