"""What reads a result: pictures, trace, theory, table, command."""

import copy
import json

import pytest

from tests.overlap.simulated import SimulatedBackend, quiet
from tools.overlap import (
    ResultFileError,
    Settings,
    asset_table,
    from_intervals,
    from_link,
    pictures,
    result_file,
    save_pictures,
    write_trace,
)
from tools.overlap.__main__ import main
from tools.overlap.experiment import run_experiment
from tools.overlap.intervals import from_zero, intersection, length, shared_fraction, union
from tools.overlap.settings import MIB, REAL_GPU
from tools.overlap.summary import case_table, controls, summary
from tools.overlap.trace import trace_events

SETTINGS = Settings(run_mode=REAL_GPU, payload_mib=(16, 64), repeat_steps=8, window_ratios=(0.5, 1.0, 2.0))


def simulate(**device) -> dict:
    report = run_experiment(SETTINGS, factory=lambda _: SimulatedBackend(**device), progress=quiet)
    return json.loads(json.dumps(report))


@pytest.fixture(scope="module")
def measured() -> dict:
    return simulate(share=1.0)


@pytest.fixture
def report(measured) -> dict:
    return copy.deepcopy(measured)


@pytest.fixture
def written(report, tmp_path):
    return result_file.write(report, tmp_path)


def reference_exposed(transfer, covers) -> dict:
    """An oracle in small steps, written apart from everything else: 1 microsecond a step."""
    start, end = transfer
    steps = round((end - start) * 1000)
    hidden = sum(any(a <= start + (i + 0.5) / 1000 < b for a, b in covers) for i in range(steps)) / 1000
    return {"total_ms": end - start, "hidden_ms": hidden, "exposed_ms": end - start - hidden}


def reference_handoff(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms, cover_intervals) -> dict:
    transfer = fixed_latency_ms + payload_bytes / (bandwidth_gbps * 125_000)
    exposed = reference_exposed((start_ms, start_ms + transfer), cover_intervals)["exposed_ms"]
    return {"transfer_ms": transfer, "exposed_ms": exposed}


def test_intervals():
    assert union([(5, 6), (1, 3), (2, 4), (4, 5), (7, 7)]) == [(1, 6)]
    assert intersection([(0, 3), (2, 5)], [(4, 9), (1, 2)]) == [(1, 2), (4, 5)]
    assert length([(0, 2), (1, 3), (8, 9)]) == 4
    assert shared_fraction([(0, 10)], [(8, 12)]) == 0.5
    assert shared_fraction([(0, 10)], []) == 0.0
    assert from_zero([(5.0, 6.0)], [(4.5, 7.0)]) == [[(0.5, 1.5)], [(0.0, 2.5)]]


def test_measured_intervals_go_through_the_students_function(report):
    rows = from_intervals(report, reference_exposed)
    assert len(rows) == len(report["cases"])
    for row, case in zip(rows, report["cases"], strict=True):
        copy_ms, compute_ms = case["copy_median_ms"], case["compute_median_ms"]
        assert row["total_ms"] == pytest.approx(copy_ms)
        assert row["exposed_ms"] == pytest.approx(max(0.0, copy_ms - compute_ms), abs=0.002)
        assert row["measured_exposed_ms"] == pytest.approx(row["exposed_ms"], abs=0.002)


def test_a_wrong_student_function_shows_in_the_comparison(report):
    """Adding up is wrong only where kernels overlap or lie outside; ignoring them is wrong everywhere."""
    rows = from_intervals(report, lambda transfer, covers: {"total_ms": 1, "hidden_ms": 0, "exposed_ms": 1})
    assert any(abs(row["exposed_ms"] - row["measured_exposed_ms"]) > 0.1 for row in rows)


def test_the_handoff_estimate_is_exact_where_overlap_is_perfect_and_short_where_it_is_not(report):
    for row in from_link(report, reference_handoff):
        assert row["error_ms"] == pytest.approx(0.0, abs=0.002)
    for row in from_link(simulate(share=0.5), reference_handoff):
        assert row["error_ms"] > 0.1


def test_the_link_is_given_to_the_student_in_their_units(report):
    seen = []

    def spy(payload_bytes, bandwidth_gbps, fixed_latency_ms, start_ms, cover_intervals):
        seen.append((payload_bytes, bandwidth_gbps, start_ms))
        return {"exposed_ms": 0.0}

    from_link(report, spy)
    assert seen[0] == (16 * MIB, pytest.approx(MIB * 8 / 0.1 / 1e6), 0.0)


def test_nothing_to_compare_without_timelines_or_link(report):
    for case in report["cases"]:
        case["timeline"] = {"source": None, "reason": "none", "serial": None, "overlap": None}
    assert from_intervals(report, reference_exposed) == []
    assert from_link({**report, "link": None}, reference_handoff) == []


def test_lanes_split_the_copy_into_hidden_and_exposed():
    timeline = {
        "serial": {"copy": [[0, 4]], "compute": [[4, 7]]},
        "overlap": {"copy": [[0, 4]], "compute": [[1, 2], [2, 3]]},
    }
    lanes = pictures.timeline_lanes(timeline)
    assert lanes["serial: copy"] == [("exposed", 0, 4)]
    assert lanes["overlap: copy"] == [("exposed", 0, 1), ("hidden", 1, 3), ("exposed", 3, 4)]
    assert lanes["overlap: compute"] == [("compute", 1, 3)]


def test_pictures_are_written_beside_the_result(report, written):
    paths = save_pictures(report, written)
    assert set(paths) == {"timelines", "ratios"}
    for path in paths.values():
        assert path.parent == written.parent and path.name.startswith(written.stem)
        assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 5000
    assert not list(written.parent.glob("*.partial"))


def test_ratio_picture_shows_every_case_its_interval_and_the_achievable_curve(report):
    figure = pictures.draw_ratios(report)
    left, right = figure.axes
    assert len(left.containers) == 2 and len(right.containers) == 2
    shown = [y for container in right.containers for y in container.lines[0].get_ydata()]
    assert sorted(shown) == sorted(case["latency_ratio"] for case in report["cases"])
    assert "achievable" in [text.get_text() for text in right.get_legend().get_texts()]
    assert "MiB" in left.get_xlabel() and right.get_xlabel()


def test_a_case_that_was_not_observed_says_so_in_the_picture(report):
    for case in report["cases"]:
        case["timeline"] = {"source": None, "reason": "no CUPTI", "serial": None, "overlap": None}
    texts = [text.get_text() for axes in pictures.draw_timelines(report).axes for text in axes.texts]
    assert len(texts) == 2 and all("no CUPTI" in text for text in texts)


def test_a_result_without_cases_has_no_pictures(tmp_path):
    empty = run_experiment(Settings(), progress=quiet)
    assert save_pictures(empty, tmp_path / "x.json") == {} and list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match="no measured case"):
        pictures.draw_ratios(empty)


def test_the_trace_opens_in_perfetto(report, tmp_path):
    path = tmp_path / "out.trace.json"
    operations = write_trace(report, path)
    events = json.loads(path.read_text())["traceEvents"]
    complete = [event for event in events if event["ph"] == "X"]
    assert operations == len(complete) == 4 * len(report["cases"])
    assert all({"name", "ts", "dur", "pid", "tid"} <= set(event) for event in complete)
    named = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
    assert {(event["pid"], event["tid"]) for event in complete} == named
    first = report["cases"][0]["timeline"]["serial"]["copy"][0]
    assert complete[0]["dur"] == pytest.approx((first[1] - first[0]) * 1000)


def test_no_trace_without_timelines(tmp_path):
    with pytest.raises(ResultFileError, match="no measured timeline"):
        write_trace({"cases": []}, tmp_path / "x.json")
    assert trace_events({"cases": []}) == [] and list(tmp_path.iterdir()) == []


def test_the_asset_table_names_what_is_not_measured(report, tmp_path):
    text = asset_table.write(tmp_path).read_text(encoding="utf-8")
    assert text.count("not measured · 未测量") == 2
    result_file.write(report, tmp_path)
    assert not asset_table.is_current(tmp_path)
    text = asset_table.write(tmp_path).read_text(encoding="utf-8")
    assert text.count("not measured · 未测量") == 1 and "| cpu_threads | - |" in text
    assert "accept_physical_overlap" in text and asset_table.is_current(tmp_path)


def test_a_failed_attempt_stands_in_the_table_beside_not_measured(tmp_path):
    result_file.write(simulate(fail_at={16: KeyError("x")}), tmp_path)
    text = asset_table.render(tmp_path)
    assert "failed_real_gpu_attempt" in text and "| real_gpu | - | not measured" in text


def test_the_best_ratio_is_of_a_case_whose_path_is_not_disproved(report):
    report["cases"][0] |= {"latency_ratio_upper": 0.1, "path_confirmed": False}
    report["cases"][1] |= {"latency_ratio_upper": 0.2, "path_confirmed": None}
    assert asset_table.best_case(report) is report["cases"][1]
    for case in report["cases"]:
        case["path_confirmed"] = False
    assert asset_table.best_case(report) is None


def test_plans_are_no_results(tmp_path):
    result_file.write(run_experiment(Settings(), progress=quiet), tmp_path)
    assert "dry_run" not in asset_table.render(tmp_path)


def test_summary_says_the_decision_in_both_languages(report):
    text = summary(report)
    assert report["decision"] in text
    assert report["decision_reason"]["zh"] in text and report["decision_reason"]["en"] in text
    assert case_table({"cases": []}) == "no case was measured"


def test_controls_are_told_whether_measured_or_not(report):
    text = controls(report)
    assert text.count("False") == 2 and "empty run" in text and text.count("not measured (simulated)") == 2
    report["pageable_control"][0] = {
        "payload_mib": 16, "measured": True, "issue_order": "compute, then copy",
        "copy_ms": [3.0, 1.0, 2.0], "overlap_ms": [4.0], "host_enqueue_ms": [0.5],
    }  # fmt: skip
    assert "copy_ms 2.000, overlap_ms 4.000, host_enqueue_ms 0.500" in controls(report)
    assert "nothing to compare" in controls(run_experiment(Settings(), progress=quiet))


def test_command_list_show_compare_trace_table(written, tmp_path, capsys):
    results = ["--results", str(tmp_path)]
    assert main(["list", *results]) == 0 and written.name in capsys.readouterr().out
    assert main(["show", str(written), "--verify"]) == 0
    assert "every figure agrees" in capsys.readouterr().out
    assert main(["compare", str(written), str(written)]) == 0
    assert capsys.readouterr().out.count(" yes") == 8
    assert main(["trace", str(written)]) == 0 and written.with_suffix(".trace.json").is_file()
    assert main(["table", *results, "--check"]) == 1
    assert main(["table", *results]) == 0 and main(["table", *results, "--check"]) == 0
    assert main(["list", *results]) == 0


def test_a_bad_file_does_not_hide_the_others_in_the_list(written, tmp_path, capsys):
    (tmp_path / "inf_serving_overlap_real_gpu_bad_20260101T000000Z.json").write_text("{")
    assert main(["list", "--results", str(tmp_path)]) == 0
    printed = capsys.readouterr()
    assert written.name in printed.out and "bad_2026" in printed.err


def test_command_finds_a_result_that_does_not_follow_from_its_samples(report, tmp_path, capsys):
    report["cases"][0]["latency_ratio"] -= 0.2
    assert main(["show", str(result_file.write(report, tmp_path)), "--verify"]) == 1
    assert "its raw samples say" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["show", "gone.json"], "no such file"),
        (["run", "--mode", "gpu"], "dry_run, cpu_threads, real_gpu"),
        (["run", "--label", "a/b"], "RUN_LABEL"),
        (["run", "--payload-mib", "0"], "PAYLOAD_MIB"),
        (["run", "--repeat", "0"], "REPEAT_STEPS"),
    ],
)
def test_command_answers_bad_input_with_one_line_and_status_2(words, says, tmp_path, capsys):
    extra = ["--results", str(tmp_path)] if words[0] == "run" else []
    assert main([*words, *extra]) == 2
    error = capsys.readouterr().err
    assert says in error and error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_command_run_measures_for_real(tmp_path, capsys):
    words = ["run", "--mode", "cpu_threads", "--label", "ci", "--payload-mib", "1", "--repeat", "8"]
    assert main([*words, "--results", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    (path,) = result_file.find(tmp_path)
    assert f"result: {path}" in out and "timelines:" in out
    assert result_file.recompute(result_file.read(path)) == []


def test_command_run_outside_the_course_needs_a_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["list"]) == 2
    assert "--results" in capsys.readouterr().err
