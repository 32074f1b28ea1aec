"""``python -m tools.authoring build|check``: what `make build` and `make check` run."""

import argparse
import sys
import tempfile
from pathlib import Path

from tools.authoring import check, editions, readme
from tools.authoring.masters import MasterError
from tools.project_runtime import resolve_project_root


def main() -> int:
    """Build or check the course that the current folder belongs to; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.authoring", description=__doc__)
    parser.add_argument("command", choices=["build", "check"])
    command = parser.parse_args().command
    try:
        root = resolve_project_root(Path.cwd())
        return build(root) if command == "build" else report(root)
    except (MasterError, FileNotFoundError) as problem:
        print(problem, file=sys.stderr)
        return 2


def build(root: Path) -> int:
    """Regenerate every edition and the README's table."""
    with tempfile.TemporaryDirectory() as scratch:
        editions.build_tree(root, Path(scratch))
        changed = editions.install(Path(scratch), root)
    changed += [str(path.relative_to(root)) for path in editions.build_solutions(root, root)]
    if readme.update(root):
        changed.append("README.md")
    print("\n".join(f"wrote {name}" for name in changed) or "everything was up to date")
    return 0


def report(root: Path) -> int:
    """Print each problem on a line."""
    found = check.problems(root)
    print("\n".join(found) or "course files: no drift, pairs complete, terms and links in order")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
