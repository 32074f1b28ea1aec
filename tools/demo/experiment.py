"""The demo's last step: the stream experiment on two threads, as its notebook runs it."""

import hashlib
import os
from pathlib import Path

from autograde.streams import say

NOTEBOOK = Path("notebooks/03_serving_overlap/cuda_streams.en.ipynb")
TIMEOUT_S = 900
# Two small payloads, few repetitions: a demonstration, not a measurement to quote.
_SETTINGS = {"RUN_MODE": "cpu_threads", "RUN_LABEL": "demo", "PAYLOAD_MIB": "8,16", "REPEAT_STEPS": "8"}


def run_experiment(root: Path, course: Path) -> None:
    """Run the notebook in ``cpu_threads`` and say where result and timeline lie.

    A result of the same notebook is kept: measuring again shows nothing new.

    Args:
        root: The repository's root.
        course: The demo's course folder; results go to ``overlap/`` below it.
    """
    text = (root / NOTEBOOK).read_bytes()
    folder = course / "overlap" / hashlib.sha256(text).hexdigest()[:12]
    if not list(folder.glob("*.timelines.png")):
        say("measuring copy and compute on two threads ...")
        folder.mkdir(parents=True, exist_ok=True)
        _execute(root, text.decode(), folder)
    picture = max(folder.glob("*.timelines.png"))
    result = picture.with_name(picture.name.replace(".timelines.png", ".json"))
    say(f"experiment {result} (mode cpu_threads)")
    say(f"timeline   {picture}")


def _execute(root: Path, text: str, folder: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    environment = {**os.environ, **_SETTINGS, "RESULTS_DIR": str(folder)}
    client = NotebookClient(
        nbformat.reads(text, as_version=4),
        timeout=TIMEOUT_S,
        kernel_name="python3",
        extra_arguments=["--log-level=ERROR"],  # the kernel's own remarks are not the demo's
        resources={"metadata": {"path": str(root / NOTEBOOK.parent)}},
    )
    client.execute(env=environment)
