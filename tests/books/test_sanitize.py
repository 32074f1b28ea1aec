"""What a student wrote cannot run in the browser of whoever reads it."""

import doctest
from html.parser import HTMLParser

import pytest
from nbconvert.filters.markdown_mistune import markdown2html_mistune

from autograde import sanitize, spreadsheet, wording
from autograde.sanitize import clean_html, clean_output, escape_markup

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "text\n\n<svg/onload=alert(1)>",
    "<!--><img src=x onerror=alert(1)>-->",
    "[x](javascript:alert(1))",
    "[x]( jAvAsCrIpT:alert(1))",
    "[x][a]\n\n[a]: javascript:alert(1)",
    "![x](javascript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](javascript\\:alert(1))",
    "[x](<javascript:alert(1)>)",
    "[x](java&Tab;script:alert(1))",
    "$\\href{javascript:alert(1)}{x}$",
    "```html\n<script>alert(1)</script>\n```\n<script>alert(1)</script>",
    "`` <b onclick=alert(1)> ``<b onclick=alert(1)>",
    '![a" onerror="alert(1)](x)',
    '[x](x "t\\" onmouseover=\\"alert(1)")',
]


class Dangers(HTMLParser):
    """Collects the tags, attributes and addresses that could run."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag in ("script", "svg", "iframe", "object", "embed", "style", "form", "input", "base", "meta"):
            self.found.append(tag)
        for name, value in attrs:
            address = (value or "").replace("\t", "").replace("\n", "").strip().lower()
            if name.startswith("on") or address.startswith(("javascript:", "vbscript:")):
                self.found.append(f"{tag} {name}={value}")


@pytest.mark.parametrize("markdown", HOSTILE)
def test_markdown_renders_to_nothing_that_runs(markdown):
    assert Dangers(markdown2html_mistune(escape_markup(markdown))).found == []


def test_the_hostile_texts_are_hostile():
    bare = [text for text in HOSTILE if Dangers(markdown2html_mistune(text)).found]
    assert len(bare) >= 10  # or the test above would show nothing


def test_a_formula_with_a_script_is_shown_as_text():
    assert "<pre>" in markdown2html_mistune(escape_markup("$\\href{javascript:alert(1)}{x}$"))


@pytest.mark.parametrize("text", ["**bold** $a < b$ [ok](https://example.org)", "a list\n\n* one\n* `x < y`"])
def test_harmless_markdown_is_left_alone(text):
    assert escape_markup(text) == text


@pytest.mark.parametrize("html", [text for text in HOSTILE if "<" in text])
def test_html_output_is_cleaned(html):
    assert Dangers(clean_html(html)).found == []


def test_a_table_stays_a_table():
    table = '<table><tbody><tr><td colspan="2">1</td></tr></tbody></table>'
    assert clean_html(table) == table


@pytest.mark.parametrize(
    "output",
    [
        {"output_type": "display_data", "data": {"application/javascript": "alert(1)"}},
        {"output_type": "display_data", "data": {"image/svg+xml": "<svg onload=alert(1)>"}},
        {"output_type": "display_data", "data": {"text/latex": "$\\href{javascript:alert(1)}{x}$"}},
        {"output_type": "display_data", "data": {"image/png": '"><script>alert(1)</script>'}},
        {"output_type": "display_data", "data": {"application/vnd.jupyter.widget-view+json": {}}},
        {"output_type": "display_data", "data": "not a mapping"},
        {"output_type": "unheard of"},
        {},
    ],
)
def test_rich_output_that_could_run_is_dropped(output):
    assert clean_output(output) is None


def test_odd_values_become_text():
    assert clean_output({"output_type": "stream", "name": 7, "text": ["a", 1]}) == {
        "output_type": "stream", "name": "stdout", "text": "a1",
    }  # fmt: skip
    assert clean_output({"output_type": "error", "ename": None, "evalue": 3, "traceback": "x"}) == {
        "output_type": "error", "ename": "", "evalue": "3", "traceback": [],
    }  # fmt: skip


@pytest.mark.parametrize("module", [sanitize, spreadsheet, wording])
def test_examples_in_docstrings(module):
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0
