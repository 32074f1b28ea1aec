"""Grade Jupyter notebooks: parallel, sandboxed, compatible with nbgrader."""

import sys
from typing import Any

# jsonschema imports this, if it can, for a format that no notebook's schema has; the import takes a second.
_modules: dict[str, Any] = sys.modules
_modules.setdefault("rfc3987_syntax", None)
