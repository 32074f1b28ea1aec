"""Making what a student printed or wrote harmless in a browser."""

import html
import re
from collections.abc import Mapping
from typing import Any

_IMAGE_TYPES = ("image/png", "image/jpeg")
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")
_MARKUP = re.compile(r"<(?=[A-Za-z/!?])")
_SCRIPT_SCHEMES = ("javascript:", "vbscript:")
_IGNORED_IN_ADDRESSES = re.compile(r"[\s\\\x00-\x1f\x7f]")
_TABLE_TAGS = frozenset(
    {
        "b",
        "br",
        "caption",
        "code",
        "div",
        "em",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "i",
        "li",
        "ol",
        "p",
        "pre",
    }
    | {
        "s",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "u",
        "ul",
    }
)
_TABLE_ATTRIBUTES = {"*": ["class", "title"], "td": ["colspan", "rowspan"], "th": ["colspan", "rowspan"]}


def clean_output(output: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an nbformat output without anything that a browser could run; None if nothing is left.

    Of rich data only plain text, PNG, JPEG and a cleaned form of HTML stay: no scripts, no SVG, no widgets.
    """
    kind = output.get("output_type")
    if kind == "stream":
        name = "stderr" if output.get("name") == "stderr" else "stdout"
        return {"output_type": "stream", "name": name, "text": _text(output.get("text"))}
    if kind == "error":
        trace = output.get("traceback")
        return {
            "output_type": "error",
            "ename": _text(output.get("ename")),
            "evalue": _text(output.get("evalue")),
            "traceback": [_text(line) for line in trace] if isinstance(trace, list | tuple) else [],
        }
    if kind not in ("display_data", "execute_result") or not isinstance(output.get("data"), Mapping):
        return None
    data = _clean_data(output["data"])
    if not data:
        return None
    clean: dict[str, Any] = {"output_type": kind, "data": data, "metadata": {}}
    if kind == "execute_result":
        count = output.get("execution_count")
        clean["execution_count"] = count if type(count) is int else None
    return clean


def escape_markup(markdown: str) -> str:
    r"""Return markdown whose HTML tags show as text; everything else is left as it is.

    Where a script's address is in it, in whatever spelling (a link, or a formula's ``\href``), all of it
    shows as text.

    >>> escape_markup("a < b, <script>x</script>")
    'a < b, &lt;script>x&lt;/script>'
    >>> escape_markup("[x](javascript:alert)")
    '\n\n    [x](javascript:alert)\n'
    """
    plain = _IGNORED_IN_ADDRESSES.sub("", html.unescape(html.unescape(markdown))).lower()
    if any(scheme in plain for scheme in _SCRIPT_SCHEMES):
        return "\n\n" + "".join(f"    {line}\n" for line in markdown.splitlines())
    return _MARKUP.sub("&lt;", markdown)


def _clean_data(data: Mapping[str, Any]) -> dict[str, str]:
    clean = {}
    for kind in _IMAGE_TYPES:
        picture = _text(data.get(kind, ""))
        if picture and _BASE64.fullmatch(picture):
            clean[kind] = picture
    if markup := _text(data.get("text/html", "")):
        clean["text/html"] = clean_html(markup)
    if text := _text(data.get("text/plain", "")):
        clean["text/plain"] = text
    return clean


def clean_html(markup: str) -> str:
    """Return HTML with only the tags of a table or a plain text in it; others are shown as text."""
    import bleach  # a tenth of a second to import, and few submissions print HTML

    return str(bleach.clean(markup, tags=_TABLE_TAGS, attributes=_TABLE_ATTRIBUTES, strip_comments=True))


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "".join(str(part) for part in value)
    return "" if value is None else str(value)
