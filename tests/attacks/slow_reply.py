# Sends its reply one byte at a time, for ever slower.
import sys
import time

kernel = sys.modules["autograde.student.kernel"]


def trickle(sock, payload):
    for byte in len(payload).to_bytes(4, "little") + payload:
        sock.sendall(bytes([byte]))
        time.sleep(0.5)


def spread(values):
    kernel.send_blocking = trickle
    return {"low": 0, "high": 0, "spread": -1}
