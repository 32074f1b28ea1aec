"""From a student's bytes to notebooks laid onto the source's cells, with every repair noted."""

from autograde.intake.admit import admit
from autograde.intake.model import Intake, LaidCell, LaidNotebook

__all__ = ["Intake", "LaidCell", "LaidNotebook", "admit"]
