"""The decision: which of the fixed names follows from the evidence, and why, in both languages."""

from dataclasses import dataclass
from typing import Any

from tools.overlap.analysis import ACCEPT_BELOW
from tools.overlap.settings import CPU_THREADS, DRY_RUN, REAL_GPU

ACCEPT_PHYSICAL = "accept_physical_overlap"
ACCEPT_CPU = "accept_cpu_overlap"
TUNE = "tune_overlap_window"
REJECT_PATH = "reject_incorrect_path"
REJECT_ENVIRONMENT = "reject_until_environment_fixed"
NOT_MEASURED = "not_measured"
DECISIONS = (ACCEPT_PHYSICAL, ACCEPT_CPU, TUNE, REJECT_PATH, REJECT_ENVIRONMENT, NOT_MEASURED)
EVIDENCE_LEVELS = {
    DRY_RUN: "dry_run",
    CPU_THREADS: "cpu_mechanism_benchmark",
    REAL_GPU: "local_mechanism_benchmark",
}
FAILED_LEVEL = "failed_real_gpu_attempt"


@dataclass(frozen=True)
class Verdict:
    """A decision and its reason.

    Attributes:
        decision: One of `DECISIONS`.
        reason: The reason, by language (``"zh"``, ``"en"``).
        evidence_level: What kind of evidence the file is; None if a `cpu_threads` run measured nothing.
    """

    decision: str
    reason: dict[str, str]
    evidence_level: str | None


def decide(
    run_mode: str,
    cases: list[dict[str, Any]],
    self_check: list[dict[str, Any]],
    failure: dict[str, Any] | None,
) -> Verdict:
    """Apply the rules, the first that fits.

    Nothing measured or our own fault -> ``not_measured``; an unusable environment ->
    ``reject_until_environment_fixed``; anything incorrect, or a wrong path (one queue, unpinned source) ->
    ``reject_incorrect_path``; a self-check that finds a difference, or no case whose corrected upper bound
    is under the limit and whose path is not disproved -> ``tune_overlap_window``; else accepted: physically
    for ``real_gpu``, as a mechanism for ``cpu_threads``.

    Args:
        run_mode: The run's mode.
        cases: Derived cases.
        self_check: Derived self-checks.
        failure: The failure, with ``is_environment``; None if there was none.
    """
    level: str | None = EVIDENCE_LEVELS[run_mode]
    if run_mode == DRY_RUN:
        return Verdict(NOT_MEASURED, _text("dry_run"), level)
    if failure is not None:
        level = FAILED_LEVEL if run_mode == REAL_GPU else None
        if failure["is_environment"]:
            return Verdict(REJECT_ENVIRONMENT, failure["next_step"], level)
        return Verdict(NOT_MEASURED, failure["next_step"], level)
    if not all(case["copy_correct"] and case["compute_correct"] for case in cases):
        return Verdict(REJECT_PATH, _text("incorrect"), level)
    if any(_wrong_path(case) for case in cases):
        return Verdict(REJECT_PATH, _text("wrong_path"), level)
    if any(check["accepted"] for check in self_check):
        return Verdict(TUNE, _text("self_check"), level)
    if all(case["below_limit"] is None for case in cases):
        return Verdict(TUNE, _text("no_interval"), level)
    faster = [case for case in cases if case["below_limit"]]
    if not faster:
        return Verdict(TUNE, _text("no_gain"), level)
    shown = [case for case in faster if _accepts(run_mode, case)]
    if not shown:
        disproved = any(case["path_confirmed"] is False for case in faster)
        return Verdict(TUNE, _text("path_disproved" if disproved else "path_unobserved"), level)
    best = min(shown, key=lambda case: case["latency_ratio_upper"])
    facts = {
        "payload": best["payload_mib"],
        "window": best["window_over_copy"],
        "upper": best["latency_ratio_upper"],
    }
    if run_mode == CPU_THREADS:
        return Verdict(ACCEPT_CPU, _text("cpu", **facts), level)
    key = "gpu" if best["path_confirmed"] else "gpu_unprofiled"
    return Verdict(ACCEPT_PHYSICAL, _text(key, **facts), level)


def _wrong_path(case: dict[str, Any]) -> bool:
    return any(case["evidence"].get(name) is False for name in ("distinct_queues", "pinned_source"))


def _accepts(run_mode: str, case: dict[str, Any]) -> bool:
    if run_mode == CPU_THREADS:  # here the path can always be looked at, or the clock is unfit
        return case["path_confirmed"] is True
    return case["path_confirmed"] is not False


_REASONS = {
    "dry_run": (
        "只登记了计划，没有测量。",
        "Only the plan was registered; nothing was measured.",
    ),
    "incorrect": (
        "至少有一次核对发现复制的数据或矩阵乘的结果不对：先修正路径，再谈快慢。",
        "At least one check found wrong bytes or a wrong product: correct the path before any talk of speed.",
    ),
    "wrong_path": (
        "复制与计算没有走两条独立的队列，或源数据不在锁页内存里：这样测到的不是要验证的路径。",
        "Copy and compute did not use two queues, or the source was not pinned: not the path to be tested.",
    ),
    "self_check": (
        "自检让串行与串行相比，竟也「变快」了：此刻机器太不稳定，这次的差异不可信。等机器空闲后换一个标签重测。",
        "The self-check, serial against serial, found a gain too: the machine is too unsteady now for any "
        "difference to be believed. Run again under a new label when it is quiet.",
    ),
    "no_interval": (
        "样本太少，算不出置信区间：把 REPEAT_STEPS 调到 8 以上（建议 20）。",
        "Too few pairs for an interval: raise REPEAT_STEPS to 8 or more (20 is advised).",
    ),
    "no_gain": (
        f"结果都正确，但没有一档的比值上界低于 {ACCEPT_BELOW}：看看可达比值，再调整计算窗口或载荷。",
        f"All correct, but no case has its upper bound under {ACCEPT_BELOW}: look at the achievable ratio, "
        "then change the compute window or the payload.",
    ),
    "path_disproved": (
        "有的档位变快了，但观测并未显示复制与计算同时进行：要么变快另有原因，要么机器太忙，看不清楚。不作接受；"
        "等机器空闲后换一个标签重测。",
        "Some cases were faster, but what was observed does not show copy and compute at the same time: the "
        "gain has another cause, or the machine is too busy to tell. Nothing is accepted; run again under a "
        "new label when it is quiet.",
    ),
    "path_unobserved": (
        "有的档位变快了，但这里的线程时钟太粗，看不出复制与计算是否同时进行，所以不作接受。",
        "Some cases were faster, but the threads' clock is too coarse here to see copy and compute at the "
        "same time, so nothing is accepted.",
    ),
    "cpu": (
        "载荷 {payload} MiB、计算窗口为复制时间的 {window:.2f} 倍时，比值的校正上界为 {upper:.3f}："
        "CPU 上的重叠成立。它说明机制，不能代替 GPU 证据。",
        "At {payload} MiB and a window of {window:.2f} x the copy the corrected upper bound of the ratio is "
        "{upper:.3f}: overlap on this CPU is shown. It shows the mechanism and replaces no GPU evidence.",
    ),
    "gpu": (
        "载荷 {payload} MiB、计算窗口为复制时间的 {window:.2f} 倍时，比值的校正上界为 {upper:.3f}，"
        "性能分析器的时间戳也显示二者同时进行：单卡物理重叠成立。",
        "At {payload} MiB and a window of {window:.2f} x the copy the corrected upper bound of the ratio is "
        "{upper:.3f}, and the profiler's time stamps intersect: physical overlap on one GPU is shown.",
    ),
    "gpu_unprofiled": (
        "载荷 {payload} MiB、计算窗口为复制时间的 {window:.2f} 倍时，比值的校正上界为 {upper:.3f}："
        "重叠由总时长证明；性能分析器在这里不可用，path_confirmed 因此为空。",
        "At {payload} MiB and a window of {window:.2f} x the copy the corrected upper bound of the ratio is "
        "{upper:.3f}: overlap is shown by durations; with no profiler here, path_confirmed stays null.",
    ),
}


def _text(key: str, **facts: float) -> dict[str, str]:
    zh, en = _REASONS[key]
    return {"zh": zh.format(**facts), "en": en.format(**facts)}
