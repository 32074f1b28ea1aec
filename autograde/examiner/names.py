"""Which names a cell's text binds, and which it takes from before."""

import ast
import re
import symtable
from collections.abc import Iterable, Set

_FILLING = re.compile(
    "add|append|appendleft|clear|discard|extend|insert|pop|popitem|remove|setdefault|update"
)
WORD = re.compile(r"[^\W\d]\w*")  # what may be a name


def bound_and_needed(source: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that a cell binds at its top level, and those that it may take from earlier cells.

    A text that is not plain Python (a magic) needs every word in it.

    Example:
        >>> bound, needed = bound_and_needed("total = price * count")
        >>> sorted(bound), sorted(needed)
        (['total'], ['count', 'price'])
    """
    try:
        tree = ast.parse(source)
        table = symtable.symtable(source, "cell", "exec")
    except (SyntaxError, ValueError):
        return frozenset(), frozenset(WORD.findall(source))
    bound = frozenset(s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported())
    inner: set[str] = set()
    waiting = table.get_children()
    while waiting:
        scope = waiting.pop()
        waiting += scope.get_children()
        inner |= {s.get_name() for s in scope.get_symbols() if s.is_global() and s.is_referenced()}
    return bound, frozenset((inner - bound) | _read_first(tree))


def changed_in_place(source: str) -> frozenset[str]:
    """Return the names whose values a cell fills, as in ``found.append(x)`` or ``found[x] = y``."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError):
        return frozenset()
    places = [
        node
        for node in nodes
        if (isinstance(node, ast.Attribute) and _FILLING.fullmatch(node.attr))
        or (isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store))
    ]
    return frozenset(place.value.id for place in places if isinstance(place.value, ast.Name))


def names_reached(sources: Iterable[str], bound_by: Iterable[tuple[Set[str], str]]) -> set[str]:
    """Return the names that cells need, and what the instructor's cells that define these need, and so on."""
    names: set[str] = set()
    for source in sources:
        names |= bound_and_needed(source)[1]
    waiting = list(bound_by)
    while True:
        reached = [(bound, text) for bound, text in waiting if bound & names]
        if not reached:
            return names
        waiting = [item for item in waiting if item not in reached]
        for _, text in reached:
            names |= bound_and_needed(text)[1]


def _read_first(tree: ast.Module) -> set[str]:
    """Return the names that the top level reads before a statement has bound them for certain."""
    certain: set[str] = set()
    needed: set[str] = set()
    for statement in tree.body:
        read: set[str] = set()
        stored: set[str] = set()
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                (read if isinstance(node.ctx, ast.Load) else stored).add(node.id)
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            read.add(statement.target.id)
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            certain.add(statement.name)
            continue  # its own needs are those of an inner scope
        if isinstance(statement, ast.Import | ast.ImportFrom):
            certain |= {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
            continue
        loops = {name for name in stored if isinstance(statement, ast.For)}
        needed |= read - certain - loops
        if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For | ast.With):
            certain |= stored
    return needed
