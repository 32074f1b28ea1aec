"""The errors of the stream experiment. Each is one line: what is wrong, where, what to do."""


class OverlapError(Exception):
    """Base of every error that this package raises on purpose."""


class SettingsError(OverlapError, ValueError):
    """A setting has a value that the experiment cannot use."""


class ResultFileError(OverlapError):
    """A result file cannot be read, written or trusted."""


class DeviceError(OverlapError):
    """The environment cannot run this mode.

    Attributes:
        kind: Which cause it is, a key of `tools.overlap.failures.CAUSES`.
    """

    def __init__(self, kind: str, message: str) -> None:
        """Keep the cause beside the text."""
        super().__init__(message)
        self.kind = kind
