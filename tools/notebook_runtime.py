"""Facts about the Python environment that a notebook runs in."""

from importlib.metadata import PackageNotFoundError, version

NOT_INSTALLED = "not installed"


def package_version(name: str) -> str:
    """Return the installed version of a distribution, without importing it.

    Args:
        name: The distribution's name as pip knows it, such as ``"torch"``.

    Returns:
        The version, or ``"not installed"``: a missing package is a fact to record, not an error.

    Raises:
        ValueError: If the name is empty.

    Example:
        >>> package_version("no-such-package")
        'not installed'
    """
    if not name or not name.strip():
        raise ValueError("package_version needs a package name, such as 'torch'")
    try:
        return version(name)
    except PackageNotFoundError:
        return NOT_INSTALLED
