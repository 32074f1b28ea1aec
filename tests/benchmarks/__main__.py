"""``make bench``: grade the same class with plain nbgrader and with this grader, alternating, in one run.

Prints medians and ratios; equal scores are required. Nothing is timed inside a test.
"""

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

from tests.benchmarks import runs
from tests.benchmarks.courses import make_course

JOBS = os.cpu_count() or 1
LARGE = 400  # submissions


def main() -> int:
    """Run the benchmarks that were asked for; return 1 if any score differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="alternating rounds of (a) and (b)")
    parser.add_argument("--sizes", type=int, nargs="+", default=[40, 400, 2000], help="class sizes of (d)")
    parser.add_argument("--only", nargs="+", choices=["a", "b", "c", "d"], default=["a", "b", "c", "d"])
    options = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        folder = Path(scratch)
        per_submission: dict[bool, float] = {}
        for label, heavy in (("a", False), ("b", True)):
            if label in options.only:
                course = make_course(folder / label, 40, heavy=heavy)
                per_submission[heavy], differing = side_by_side(label, course, options.rounds, heavy=heavy)
                wrong += differing
                if heavy:  # what (d) does for the others
                    large = make_course(folder / f"{label}{LARGE}", LARGE, heavy=heavy)
                    throughput(label, large, LARGE, per_submission[heavy])
        if "c" in options.only:
            regrade(make_course(folder / "c", 40, heavy=False), options.rounds)
        if "d" in options.only:
            for size in options.sizes:
                course = make_course(folder / f"d{size}", size, heavy=False)
                throughput("d", course, size, per_submission.get(False))
    return 1 if wrong else 0


def side_by_side(label: str, course: Path, rounds: int, *, heavy: bool) -> tuple[float, int]:
    """Alternate both graders on one course; return nbgrader's seconds a submission and the differences."""
    size = len(list((course / "submitted").iterdir()))
    theirs, typical, ours, ratios, differing = [], [], [], [], 0
    for _ in range(rounds):
        runs.reset(course)
        run = runs.run_nbgrader(course)
        theirs.append(run.seconds)
        typical.append(run.typical_seconds())
        expected = runs.scores(course)
        runs.reset(course)
        ours.append(runs.run_ours(course, jobs=JOBS).seconds)
        found = runs.scores(course)
        differing += sum(expected.get(key) != found.get(key) for key in expected.keys() | found.keys())
        ratios.append(theirs[-1] / ours[-1])
    mine = statistics.median(ours) / size
    print(f"({label}) {size} submissions, {rounds} rounds, {JOBS} jobs, sandbox on", flush=True)
    print(
        f"    nbgrader  {statistics.median(theirs) / size * 1e3:8.1f} ms a submission (median of whole runs)"
    )
    print(f"    this      {mine * 1e3:8.1f} ms a submission")
    print(
        f"    ratio     {statistics.median(ratios):8.1f} x (pairs: {', '.join(f'{r:.1f}' for r in ratios)})"
    )
    without_stalls = statistics.median(typical) / mine
    print(f"    ratio     {without_stalls:8.1f} x against its typical submission")
    for draw, words in ((True, "figures drawn"), (False, "figures left out")):
        floor = runs.floor_seconds(course, jobs=JOBS, draw=draw, heavy=heavy)
        print(f"    floor     {floor * 1e3:8.1f} ms a submission, {words}; distance {mine / floor:.2f} x")
    print(f"    scores that differ: {differing}", flush=True)
    return statistics.median(theirs) / size, differing


def regrade(course: Path, rounds: int) -> None:
    """Grade once, then time grading the unchanged class again."""
    size = len(list((course / "submitted").iterdir()))
    runs.run_ours(course, jobs=JOBS)
    again = [runs.run_ours(course, jobs=JOBS).seconds for _ in range(rounds)]
    print(f"(c) regrade of an unchanged class of {size}", flush=True)
    print(f"    this      {statistics.median(again) / size * 1e3:8.1f} ms a submission, start-up included")


def throughput(label: str, course: Path, size: int, nbgrader_seconds: float | None) -> None:
    """Time one run of a class of a given size, and another in which nothing has changed."""
    run = runs.run_ours(course, jobs=JOBS)
    print(f"({label}) {size} submissions", flush=True)
    print(f"    this      {run.seconds / size * 1e3:8.1f} ms a submission, {size / run.seconds:.1f} a second")
    print(f"    largest process {run.peak_mib:.0f} MiB")
    again = runs.run_ours(course, jobs=JOBS)
    print(f"    unchanged {again.seconds / size * 1e3:8.1f} ms a submission", flush=True)
    if nbgrader_seconds is not None:
        ratio = nbgrader_seconds / (run.seconds / size)
        print(f"    ratio     {ratio:8.1f} x, against nbgrader's time a submission at 40")


if __name__ == "__main__":
    sys.exit(main())
