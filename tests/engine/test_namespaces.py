"""Forking into namespaces: with one system call where it is known, else through a process between the two."""

import subprocess
import sys

import pytest

CODE = """
import os, sys, threading
from autograde.student import namespaces
if {by_unshare}:
    namespaces._CLONE_NUMBERS.clear()
reader, writer = os.pipe()
uid, gid = os.getuid(), os.getgid()

def child():
    grandchild = os.fork()
    if grandchild == 0:
        os.write(writer, f"grandchild {{os.getpid()}} ".encode())
        os._exit(0)
    os.waitpid(grandchild, 0)
    same = (os.getuid(), os.getgid()) == (uid, gid)
    done = threading.Event()
    thread = threading.Thread(target=done.set)
    thread.start()
    thread.join(5)
    os.write(writer, f"child {{os.getpid()}} {{same}} {{done.is_set()}}".encode())

namespaces.fork_isolated(child, lambda error: os.write(writer, f"failed: {{error}}".encode()))
os.close(writer)
said = b""
while part := os.read(reader, 1000):
    said += part
print(said.decode())
"""


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandbox_works")
@pytest.mark.parametrize("by_unshare", [False, True], ids=["clone", "unshare"])
def test_the_child_is_the_first_process_and_keeps_its_ids(by_unshare: bool) -> None:
    code = CODE.format(by_unshare=by_unshare)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=30
    )
    assert done.stdout.strip() == "grandchild 2 child 1 True True", done


REFUSED = """
import os, sys
from autograde.student import namespaces
if {by_unshare}:
    namespaces._CLONE_NUMBERS.clear()
namespaces._OWN |= 0x1800  # flags that do not go together
reader, writer = os.pipe()
namespaces.fork_isolated(lambda: os.write(writer, b"ran"), lambda error: os.write(writer, str(error).encode()))
os.close(writer)
print(os.read(reader, 1000).decode())
"""


@pytest.mark.parametrize("by_unshare", [False, True], ids=["clone", "unshare"])
def test_a_refusal_is_told_and_nothing_runs(by_unshare: bool) -> None:
    code = REFUSED.format(by_unshare=by_unshare)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=30
    )
    assert done.returncode == 0 and "Invalid argument" in done.stdout, done
