"""The command: run the stream experiment, and read what it recorded."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools.overlap import asset_table, result_file
from tools.overlap.errors import OverlapError, ResultFileError
from tools.overlap.pictures import save_pictures
from tools.overlap.record import run_and_write
from tools.overlap.settings import RUN_MODES, Settings
from tools.overlap.summary import case_table, hardware_name, ratio_text, summary, table
from tools.overlap.trace import write_trace
from tools.project_runtime import resolve_project_root

OK, FAILED, USAGE = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status: 0 fine, 1 a run or a check failed, 2 usage.

    Args:
        arguments: The command's words; those of the process if None.
    """
    options = _parser().parse_args(arguments)
    try:
        return int(options.action(options))
    except OverlapError as problem:
        print(problem, file=sys.stderr)
        return USAGE
    except FileNotFoundError as problem:
        print(f"{problem}; or name the folder with --results", file=sys.stderr)
        return USAGE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.overlap", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, text: str, action: Any) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.add_argument("--results", type=Path, metavar="DIR", help="folder of results (default: results/)")
        sub.set_defaults(action=action)
        return sub

    run = command("run", "measure, write the result and its pictures", _run)
    run.add_argument("--mode", default="cpu_threads", metavar="MODE", help=", ".join(RUN_MODES))
    run.add_argument("--label", default="default", help="part of the file's name")
    run.add_argument("--payload-mib", type=int, nargs="+", metavar="MIB", help="sizes of the copy")
    run.add_argument("--repeat", type=int, metavar="N", help="pairs for each case")
    command("list", "list the recorded results", _list)
    show = command("show", "show one result", _show)
    show.add_argument("file", type=Path)
    show.add_argument("--verify", action="store_true", help="recompute every figure from the raw samples")
    compare = command("compare", "put two results side by side", _compare)
    compare.add_argument("first", type=Path)
    compare.add_argument("second", type=Path)
    trace = command("trace", "export a trace for Perfetto or chrome://tracing", _trace)
    trace.add_argument("file", type=Path)
    trace.add_argument("--out", type=Path, metavar="FILE", help="default: beside the result, .trace.json")
    assets = command("table", "write results/README.md", _table)
    assets.add_argument("--check", action="store_true", help="only say whether it is up to date")
    return parser


def _folder(options: argparse.Namespace) -> Path:
    return options.results or resolve_project_root(Path.cwd()) / "results"


def _run(options: argparse.Namespace) -> int:
    changes: dict[str, Any] = {}
    if options.payload_mib is not None:
        changes["payload_mib"] = tuple(options.payload_mib)
    if options.repeat is not None:
        changes["repeat_steps"] = options.repeat
    settings = Settings(run_mode=options.mode, run_label=options.label, **changes)
    folder, note = result_file.usable_folder(_folder(options))
    if note:
        print(note, file=sys.stderr)
    report, path = run_and_write(settings, folder)
    pictures = save_pictures(report, path)
    print(summary(report))
    print(f"result: {path}")
    for name, picture in pictures.items():
        print(f"{name}: {picture}")
    return OK if report["failure"] is None else FAILED


def _list(options: argparse.Namespace) -> int:
    rows = []
    for path in result_file.find(_folder(options)):
        try:
            report = result_file.read(path)
        except ResultFileError as problem:  # one bad file must not hide the others
            print(problem, file=sys.stderr)
            continue
        rows.append(
            {
                "file": path.name,
                "mode": report["run_mode"],
                "hardware": hardware_name(report),
                "evidence": report["evidence_level"] or "-",
                "decision": report["decision"],
            }
        )
    print(table(rows) if rows else f"no results in {_folder(options)}")
    return OK


def _show(options: argparse.Namespace) -> int:
    report = result_file.read(options.file)
    print(summary(report))
    print(case_table(report))
    if not options.verify:
        return OK
    differences = result_file.recompute(report)
    print("\n".join(differences) or "every figure agrees with the raw samples in the file")
    return FAILED if differences else OK


def _compare(options: argparse.Namespace) -> int:
    reports = [result_file.read(path) for path in (options.first, options.second)]
    for name, report in zip(("first", "second"), reports, strict=True):
        print(f"{name}: {report['run_mode']} on {hardware_name(report)}: {report['decision']}")
    if reports[0]["run_mode"] != reports[1]["run_mode"]:
        print("the modes differ: compare what they show, not their times")
    keyed = [{_key(case): case for case in report["cases"]} for report in reports]
    rows = []
    for key in [key for key in keyed[0] if key in keyed[1]]:
        first, second = keyed[0][key], keyed[1][key]
        rows.append(
            {
                "payload_mib": key[0],
                "window": key[1],
                "first": ratio_text(first),
                "second": ratio_text(second),
                "intervals_overlap": _touch(first["latency_ratio_ci95"], second["latency_ratio_ci95"]),
            }
        )
    print(table(rows) if rows else "the two results share no case")
    return OK


def _trace(options: argparse.Namespace) -> int:
    out = options.out or options.file.with_suffix(".trace.json")
    print(f"{write_trace(result_file.read(options.file), out)} operations in {out}")
    return OK


def _table(options: argparse.Namespace) -> int:
    folder = _folder(options)
    if not options.check:
        print(asset_table.write(folder))
        return OK
    if asset_table.is_current(folder):
        return OK
    print(f"{folder / asset_table.NAME} is out of date: run python -m tools.overlap table", file=sys.stderr)
    return FAILED


def _key(case: dict[str, Any]) -> tuple[int, str]:
    ratio = case["window"]["target_ratio"]
    return case["payload_mib"], "fixed" if ratio is None else f"{ratio:g} x copy"


def _touch(first: list[float] | None, second: list[float] | None) -> str:
    if first is None or second is None:
        return "-"
    return "yes" if first[0] <= second[1] and second[0] <= first[1] else "no"


if __name__ == "__main__":
    sys.exit(main())
