"""The errors a user of this package can meet. Each is one line: what is wrong, where, what to do."""


class AutogradeError(Exception):
    """Base of every error that this package raises on purpose."""

    exit_status = 2


class UsageError(AutogradeError):
    """The command was given something it cannot use (exit status 2)."""


class CourseError(UsageError):
    """The course folder or its source notebooks cannot be used as they are (exit status 2)."""


class SandboxUnavailableError(AutogradeError):
    """No sandbox can be started here; the text says why and how to go on (exit status 2)."""


class InfrastructureError(AutogradeError):
    """We failed, not the student: never a zero, retried by the next run (exit status 3)."""

    exit_status = 3


class IntakeError(InfrastructureError):
    """We failed to read one submission; it is no fault of the student's, and the others are read."""
