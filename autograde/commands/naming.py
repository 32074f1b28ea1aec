"""How the commands name an assignment."""

import argparse


def add_assignment(parser: argparse.ArgumentParser) -> None:
    """Declare the argument that names one assignment."""
    parser.add_argument("assignment", type=bare_name, help="folder under source/")


def bare_name(text: str) -> str:
    """Return an assignment's name without the slash that a shell's completion adds."""
    return text.rstrip("/")
