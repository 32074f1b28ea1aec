import copy
import json
import os
import re
from pathlib import Path

import pytest

from tests.overlap.simulated import SimulatedBackend, quiet
from tools.overlap import ResultFileError, Settings, asset_table, record, result_file, run_and_write, summary
from tools.overlap.experiment import run_experiment
from tools.overlap.settings import CPU_THREADS, REAL_GPU

V1_FIELDS = (
    "schema_version", "semantic_id", "run_mode", "run_label", "environment_profile", "framework", "hardware",
    "workload", "cases", "failure", "evidence_level", "decision",
)  # fmt: skip
V1_CASE = (
    "payload_mib", "serial_median_ms", "serial_p95_ms", "overlap_median_ms", "overlap_p95_ms",
    "latency_ratio", "hidden_ms", "copy_correct", "compute_correct", "path_confirmed",
)  # fmt: skip
SETTINGS = Settings(run_mode=REAL_GPU, payload_mib=(16, 64), repeat_steps=8, window_ratios=(0.5, 1.0))


@pytest.fixture(scope="module")
def measured() -> dict:
    report = run_experiment(SETTINGS, factory=lambda _: SimulatedBackend(), progress=quiet)
    return json.loads(json.dumps(report))


@pytest.fixture
def report(measured) -> dict:
    return copy.deepcopy(measured)


def test_a_result_is_a_superset_of_the_first_version(report):
    assert set(V1_FIELDS) <= set(report)
    assert all(set(V1_CASE) <= set(case) for case in report["cases"])
    workload = {"payload_mib", "matrix_size", "warmup_steps", "repeat_steps", "seed"}
    assert workload <= set(report["workload"])


def test_what_is_written_is_what_is_read(report, tmp_path):
    path = result_file.write(report, tmp_path / "new" / "folder")
    assert result_file.read(path) == report
    assert re.fullmatch(r"inf_serving_overlap_real_gpu_default_\d{8}T\d{6}Z\.json", path.name)
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_text_that_looks_like_an_array_is_kept(report, tmp_path):
    report["notes"] = ["odd [ 1,   2 ] text", "[\n  3,\n  4\n]", 'quote " and [\\n 5 ]']
    assert result_file.read(result_file.write(report, tmp_path))["notes"] == report["notes"]


def test_no_run_overwrites_another(report, tmp_path):
    paths = [result_file.write(report, tmp_path) for _ in range(3)]
    assert len(set(paths)) == 3
    assert [path.name[-7:] for path in paths[1:]] == ["-2.json", "-3.json"]
    assert len(result_file.find(tmp_path)) == 3


def test_no_run_overwrites_another_without_hard_links(report, tmp_path, monkeypatch):
    def no_links(source, target):
        raise OSError("hard links are not supported here")

    monkeypatch.setattr(os, "link", no_links)
    assert result_file.write(report, tmp_path) != result_file.write(report, tmp_path)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_nan_and_infinity_are_refused(report, tmp_path, value):
    report["cases"][0]["latency_ratio"] = value
    with pytest.raises(ResultFileError, match="no word for"):
        result_file.write(report, tmp_path)
    assert list(tmp_path.iterdir()) == []


BREAKS = [
    ("run_mode", "gpu"), ("run_label", "../x"), ("decision", "accept"), ("evidence_level", "strong"),
    ("semantic_id", "OTHER"), ("started_at", "yesterday"), ("decision_reason", {"zh": "只有中文"}),
    ("evidence_level", "dry_run"), ("decision", "accept_cpu_overlap"), ("surprise", 1),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), BREAKS)
def test_an_invalid_report_is_not_written_and_nothing_is_left_behind(report, tmp_path, name, value):
    report[name] = value
    with pytest.raises(ResultFileError, match="not a valid result"):
        result_file.write(report, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["cases", "failure", "raw", "timeline", "path_confirmed"])
def test_a_missing_field_is_found(report, tmp_path, name):
    (report["cases"][0] if name in report["cases"][0] else report).pop(name)
    with pytest.raises(ResultFileError, match=name):
        result_file.write(report, tmp_path)


def test_the_schema_refuses_claims_that_a_mode_cannot_make(report):
    """A cpu_threads file may never say accept_physical_overlap, nor a failed one accept anything."""
    cpu = {**report, "run_mode": CPU_THREADS, "evidence_level": "cpu_mechanism_benchmark"}
    with pytest.raises(ResultFileError):
        result_file.validate(cpu)
    failed = run_experiment(
        SETTINGS, factory=lambda _: SimulatedBackend(fail_at={64: KeyError("x")}), progress=quiet
    )
    failed = json.loads(json.dumps(failed))
    assert result_file.validate(failed) == ""
    with pytest.raises(ResultFileError):
        result_file.validate({**failed, "decision": "accept_physical_overlap"})


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"schema_version": "inference-mechanism-gpu/v3"}', "newer version"),
        ('{"schema_version": "inference-mechanism-gpu/v10"}', "newer version"),
        ('{"schema_version": "inference-mechanism-gpu/v1"}', "older result"),
        ('{"schema_version": "another/v2"}', "not a result of this experiment"),
        ('{"schema_version": 2}', "not a result of this experiment"),
        ("[]", "not a result of this experiment"),
        ('{"schema_version": "inference-mechanism-gpu/v2"}', "not a valid result"),
        ("{", "not a readable result"),
        ("", "not a readable result"),
    ],
)
def test_other_files_are_refused_politely(tmp_path, content, says):
    path = tmp_path / "inf_serving_overlap_x.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ResultFileError, match=says) as caught:
        result_file.read(path)
    assert path.name in str(caught.value) and "\n" not in str(caught.value)


def test_a_missing_or_binary_file_is_refused_politely(tmp_path):
    with pytest.raises(ResultFileError, match="no such file"):
        result_file.read(tmp_path / "gone.json")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ResultFileError, match="not a readable result"):
        result_file.read(tmp_path / "binary.json")


def test_without_jsonschema_reading_works_and_says_that_it_did_not_validate(report, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jsonschema", None)
    assert result_file.validate(report) == result_file.NO_VALIDATOR
    read = result_file.read(result_file.write(report, tmp_path))
    assert read == {**report, "notes": [*report["notes"], result_file.NO_VALIDATOR]}


def test_a_run_without_jsonschema_records_that_it_was_not_validated(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jsonschema", None)
    written, _ = run_and_write(Settings(run_mode="dry_run"), tmp_path)
    assert result_file.NO_VALIDATOR in written["notes"] and result_file.NO_VALIDATOR in summary(written)


def test_every_figure_follows_from_the_raw_samples(report):
    assert result_file.recompute(report) == []


@pytest.mark.parametrize(
    ("where", "name"),
    [
        ("cases", name)
        for name in ("serial_p95_ms", "latency_ratio", "latency_ratio_upper", "efficiency", "exposed_ms")
    ]
    + [("self_check", "latency_ratio")],
)
def test_an_altered_figure_is_found(report, where, name):
    report[where][0][name] += 0.01
    differences = result_file.recompute(report)
    assert len(differences) == 1 and f"{where}/0/{name}" in differences[0]


@pytest.mark.parametrize("claim", ["copy_correct", "path_confirmed", "below_limit"])
def test_an_altered_claim_is_found(report, claim):
    report["cases"][0][claim] = not report["cases"][0][claim]
    assert any(claim in line for line in result_file.recompute(report))


def test_an_altered_sample_is_found(report):
    report["cases"][1]["raw"]["overlap_ms"][:6] = [0.001] * 6
    assert any("cases/1/overlap_median_ms" in line for line in result_file.recompute(report))


def test_a_folder_that_cannot_be_written_is_replaced_before_measuring(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    folder, note = result_file.usable_folder(blocked / "results")
    assert folder.is_dir() and str(blocked) in note and str(folder) in note
    folder.rmdir()
    assert result_file.usable_folder(tmp_path / "fine") == (tmp_path / "fine", "")
    assert list((tmp_path / "fine").iterdir()) == []


def test_a_read_only_folder_is_replaced_before_measuring(tmp_path, monkeypatch):
    def read_only(**options):
        raise OSError(30, "Read-only file system")

    with monkeypatch.context() as patch:
        patch.setattr(result_file.tempfile, "NamedTemporaryFile", read_only)
        folder, note = result_file.usable_folder(tmp_path)
    assert folder != tmp_path and "Read-only file system" in note
    folder.rmdir()


def test_a_folder_lost_during_the_run_does_not_cost_the_result(tmp_path, capsys):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    report, path = run_and_write(
        SETTINGS, blocked / "results", factory=lambda _: SimulatedBackend(), progress=quiet
    )
    assert "Nothing is lost" in capsys.readouterr().out
    assert result_file.read(path) == report
    path.unlink()
    path.parent.rmdir()


def test_an_invalid_report_is_not_saved_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setattr(
        record, "run_experiment", lambda settings: {"started_at": "", "run_mode": "", "run_label": ""}
    )
    elsewhere = []
    monkeypatch.setattr(record.tempfile, "mkdtemp", lambda **options: elsewhere.append(options))
    with pytest.raises(ResultFileError, match="not a valid result"):
        run_and_write(SETTINGS, tmp_path)
    assert elsewhere == []


def test_an_interrupted_write_leaves_no_file(report, tmp_path, monkeypatch):
    def interrupted(temporary, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(result_file, "_claim", interrupted)
    with pytest.raises(KeyboardInterrupt):
        result_file.write(report, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_run_refreshes_the_folders_table(tmp_path):
    asset_table.write(tmp_path)
    _, path = run_and_write(SETTINGS, tmp_path, factory=lambda _: SimulatedBackend(), progress=quiet)
    assert path.name in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert asset_table.is_current(tmp_path)


def test_a_bad_file_in_the_folder_does_not_spoil_a_run(tmp_path, capsys):
    asset_table.write(tmp_path)
    (tmp_path / "inf_serving_overlap_cpu_threads_bad_20260101T000000Z.json").write_text("{")
    _, path = run_and_write(SETTINGS, tmp_path, factory=lambda _: SimulatedBackend(), progress=quiet)
    assert path.is_file() and "was not refreshed" in capsys.readouterr().out


RECORDED = Path(__file__).parents[2] / "results"


@pytest.mark.parametrize("path", result_file.find(RECORDED), ids=lambda path: path.name)
def test_recorded_results_are_valid_and_follow_from_their_samples(path):
    report = result_file.read(path)
    assert result_file.recompute(report) == []
    if report["run_mode"] == REAL_GPU and report["failure"] is None:
        assert report["hardware"]["cuda_available"] is True and report["hardware"]["driver"]


def test_the_recorded_table_is_what_the_results_give():
    assert asset_table.is_current(RECORDED), "run python -m tools.overlap table"


def test_something_is_recorded_and_no_gpu_result_is_claimed_without_one():
    reports = [result_file.read(path) for path in result_file.find(RECORDED)]
    assert any(report["evidence_level"] == "cpu_mechanism_benchmark" for report in reports)
    gpu = [report for report in reports if report["evidence_level"] == "local_mechanism_benchmark"]
    table = (RECORDED / "README.md").read_text(encoding="utf-8")
    assert ("| real_gpu | - | not measured" in table) == (not gpu)
    front_page = (RECORDED.parent / "README.md").read_text(encoding="utf-8")
    assert ("No GPU result is recorded yet" in front_page) == (not gpu)
