"""Judges a submission: the instructor's cells and tests run here, the student's code never does."""

from autograde.examiner.task import CellPlan, Plan

__all__ = ["CellPlan", "Plan"]
