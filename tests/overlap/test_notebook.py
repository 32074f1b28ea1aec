"""The GPU notebook, run whole in an empty folder: no repository, both languages, every mode."""

import json
import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from tools.overlap import result_file

CHAPTER = Path(__file__).parents[2] / "notebooks" / "03_serving_overlap"
LANGUAGES = ("zh", "en")
ANSWERS = """
def compute_exposed_interval(transfer_interval, cover_intervals):
    start, end = transfer_interval
    hidden, reached = 0.0, start
    for left, right in sorted(cover_intervals):
        left, right = max(left, reached), min(right, end)
        if right > left:
            hidden, reached = hidden + right - left, right
    return {"total_ms": end - start, "hidden_ms": hidden, "exposed_ms": end - start - hidden}


def estimate_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms, cover_intervals):
    transfer_ms = fixed_latency_ms + payload_bytes / (bandwidth_gbps * 125_000)
    exposure = compute_exposed_interval((start_ms, start_ms + transfer_ms), cover_intervals)
    return {"transfer_ms": transfer_ms, "exposed_ms": exposure["exposed_ms"]}
"""


def edition(language: str, **replace: str) -> nbformat.NotebookNode:
    notebook = nbformat.read(CHAPTER / f"cuda_streams.{language}.ipynb", as_version=4)
    for cell in notebook.cells:
        if cell.id in replace:
            cell.source = replace[cell.id]
    return notebook


def run(notebook, folder: Path, monkeypatch, **environment: str) -> dict[str, str]:
    """Run all in a folder and return what each cell printed; nothing may reach stderr."""
    for name in ("RUN_MODE", "RUN_LABEL", "PAYLOAD_MIB", "REPEAT_STEPS", "RESULTS_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"PAYLOAD_MIB": "1,2", "REPEAT_STEPS": "8", **environment}.items():
        monkeypatch.setenv(name, value)
    NotebookClient(notebook, timeout=240, resources={"metadata": {"path": str(folder)}}).execute()
    outputs = [(cell.id, out) for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs]
    assert [out.text for _, out in outputs if out.get("name") == "stderr"] == []
    printed: dict[str, str] = {}
    for key, out in outputs:
        printed[key] = printed.get(key, "") + out.get("text", "")
        if "image/png" in out.get("data", {}):
            printed[key] += "[picture]"
    return printed


def results(folder: Path) -> list[dict]:
    return [result_file.read(path) for path in result_file.find(folder)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_alone_with_two_threads_and_the_students_functions(language, tmp_path, monkeypatch):
    printed = run(edition(language, paste=ANSWERS), tmp_path, monkeypatch, RUN_MODE="cpu_threads")
    (report,) = results(tmp_path / "overlap-course" / "results")
    assert report["evidence_level"] == "cpu_mechanism_benchmark" and report["failure"] is None
    assert report["source"]["git_commit"] is None, "the helpers of the working folder must have measured"
    assert "[picture]" in printed["timelines-picture"] and "[picture]" in printed["ratios-picture"]
    assert "measured_exposed_ms" in printed["theory-intervals-run"]
    assert "error_ms" in printed["theory-link-run"]
    assert report["decision"] in printed["decide-run"]
    assert "operations" in printed["trace-run"]


def test_as_it_is_delivered_it_registers_the_plan(tmp_path, monkeypatch):
    printed = run(edition("en"), tmp_path, monkeypatch)
    (report,) = results(tmp_path / "overlap-course" / "results")
    assert (report["decision"], report["run_mode"]) == ("not_measured", "dry_run")
    assert "nothing measured" in printed["timelines-picture"]
    assert "skipped" in printed["theory-intervals-run"] and "skipped" in printed["theory-link-run"]


def test_real_gpu_without_a_gpu_ends_in_a_decision(tmp_path, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    folder = tmp_path / "elsewhere"
    printed = run(edition("en"), tmp_path, monkeypatch, RUN_MODE="real_gpu", RESULTS_DIR=str(folder))
    (report,) = results(folder)
    assert report["decision"] == "reject_until_environment_fixed"
    assert report["failure"]["kind"] in ("no_torch", "torch_without_cuda", "no_driver", "no_gpu")
    assert report["failure"]["next_step"]["en"] in printed["decide-run"]
    assert report["failure"]["next_step"]["zh"] in printed["run"]


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [("RUN_MODE", "realgpu", "dry_run, cpu_threads, real_gpu"), ("RUN_LABEL", "a b", "letters, digits")],
)
def test_a_typo_stops_before_anything_runs(name, value, allowed, tmp_path, monkeypatch):
    with pytest.raises(CellExecutionError, match=allowed):
        run(edition("en"), tmp_path, monkeypatch, **{name: value})
    assert results(tmp_path / "overlap-course" / "results") == []


def test_the_configuration_cell_can_be_set_by_papermill():
    for language in LANGUAGES:
        cells = [cell for cell in edition(language).cells if "parameters" in cell.metadata.get("tags", ())]
        assert len(cells) == 1
        values: dict = {}
        exec(cells[0].source, values)
        assert values["RUN_MODE"] == "dry_run" and values["PAYLOAD_MIB"] == [16, 64, 128]
        assert (values["MATRIX_SIZE"], values["WARMUP_STEPS"], values["REPEAT_STEPS"]) == (2048, 5, 20)
        assert (values["SEED"], values["ENVIRONMENT_PROFILE"]) == (42, "INF-CUDA-MECHANISM")


def test_the_notebook_ships_no_answer():
    text = json.dumps(edition("en")) + json.dumps(edition("zh"))
    assert "def compute_exposed_interval" not in text and "def estimate_handoff" not in text


def test_the_set_up_cell_is_folded_and_carries_the_whole_package():
    helpers = {path.name for path in (CHAPTER.parents[1] / "tools" / "overlap").iterdir() if path.is_file()}
    for language in LANGUAGES:
        cell = next(cell for cell in edition(language).cells if cell.id == "setup")
        assert cell.metadata["jupyter"]["source_hidden"] is True and cell.metadata["cellView"] == "form"
        missing = [name for name in helpers if f"'tools/overlap/{name}': r'''" not in cell.source]
        assert missing == []


def test_a_working_folder_on_another_disk_can_be_named(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    printed = run(edition("zh"), tmp_path, monkeypatch, RESULTS_DIR=str(blocked / "results"))
    assert "cannot be written" in printed["settings"] and "result:" in printed["run"]
    path = Path(printed["run"].rpartition("result: ")[2].strip())
    assert result_file.read(path)["run_mode"] == "dry_run"
    os.unlink(path)  # noqa: PTH108 - the temporary folder was made outside tmp_path
    path.parent.rmdir()
