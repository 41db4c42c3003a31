"""The configuration of Sphinx for the site. `python -m docs.site` calls it; it reads the pages that `staging` wrote."""

import gettext
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sphinx
from sphinx.application import Sphinx

from docs.site.chrome import CHINESE_CHROME
from docs.site.contents import CHINESE, CONTENTS, ROOT, SitePage
from docs.site.search import BilingualSearch

HERE = Path(__file__).parent
SPHINX_TEXTS = Path(sphinx.__file__).parent / "locale"
SPHINX_CHINESE = SPHINX_TEXTS / "zh_CN" / "LC_MESSAGES" / "sphinx.js"  # of its scripts
SEARCH = "search"  # Sphinx' page of results, in English; ours in Chinese is beside it

project = "Exemplar"
html_title = "Exemplar"
version = release = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
language = "en"
extensions = ["myst_parser"]
root_doc = "index"

html_theme = "furo"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0a6b5d", "color-brand-content": "#0a6b5d"},
    "dark_css_variables": {"color-brand-primary": "#5fc9b4", "color-brand-content": "#5fc9b4"},
    "top_of_page_buttons": [],
}
templates_path = [str(HERE / "templates")]
html_static_path = [str(HERE / "static"), str(SPHINX_CHINESE)]
html_css_files = ["site.css"]
html_favicon = str(ROOT / "console" / "web" / "static" / "icon.svg")
html_sidebars = {"**": ["sidebar/brand.html", "sidebar/search.html", "sidebar/pages.html"]}
html_additional_pages = {SEARCH + CHINESE: "search.html"}
html_search_scorer = str(HERE / "static" / "scorer.js")
html_use_index = html_copy_source = html_show_copyright = html_show_sphinx = False

myst_heading_anchors = 4
smartquotes = False
suppress_warnings = ["myst.header"]  # a page may begin at a deeper heading than the one before
pygments_style, pygments_dark_style = "a11y-high-contrast-light", "a11y-high-contrast-dark"
highlight_language = "none"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register what is ours: the search, and the frame of each page in its language."""
    app.add_search_language(BilingualSearch)
    app.connect("html-page-context", _in_its_language, priority=400)  # before the theme's
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _in_its_language(app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Give a page its navigation and, to a Chinese one, the texts of its frame in Chinese."""
    is_chinese = name.endswith(CHINESE)
    suffix = CHINESE if is_chinese else ""
    context["toctree"] = lambda **_: ""  # the theme renders it for each page; ours has `sections`
    context["sections"] = _navigation(name, context["pathto"], is_chinese)
    context |= _neighbours(name, context["sections"])
    context["other_language"] = _other_language(app, name, context["pathto"])
    context["search_page"] = SEARCH + suffix
    context["master_doc"] = f"index{suffix}"
    if is_chinese:
        translated = gettext.translation("sphinx", SPHINX_TEXTS, ["zh_CN"]).gettext
        context["language"] = "zh-CN"
        context["gettext"] = lambda text: CHINESE_CHROME.get(text.strip()) or translated(text)  # what templates call
        app.add_js_file(SPHINX_CHINESE.name)


def _navigation(name: str, pathto: Any, is_chinese: bool) -> list[tuple[str, list[tuple[str, str, bool, bool]]]]:
    """Return the sections with their pages: label, link, whether it is this page, whether it is in English only."""

    def place(page: SitePage) -> tuple[str, str, bool, bool]:
        target = page.name + CHINESE if is_chinese and page.has_chinese() else page.name
        label = page.chinese_label if is_chinese else page.label
        return label, pathto(target), target == name, is_chinese and target == page.name

    return [
        (section.chinese_label if is_chinese else section.label, [place(page) for page in section.pages])
        for section in CONTENTS
    ]


def _neighbours(name: str, sections: Sequence[tuple[str, Sequence[tuple[str, str, bool, bool]]]]) -> dict[str, Any]:
    """Return the pages before and after this one in the navigation; nothing for a page that is not in it."""
    places = [place for _, pages in sections for place in pages]
    here = next((number for number, (_, _, is_current, _) in enumerate(places) if is_current), None)
    if here is None:
        return {}
    around = {"prev": places[here - 1] if here else None, "next": places[here + 1] if here + 1 < len(places) else None}
    return {side: place and {"title": place[0], "link": place[1]} for side, place in around.items()}


def _other_language(app: Sphinx, name: str, pathto: Any) -> str:
    """Return the link to the same page in the other language, else to the first page in it."""
    other = name.removesuffix(CHINESE) if name.endswith(CHINESE) else name + CHINESE
    known = app.env.found_docs | {SEARCH, SEARCH + CHINESE}
    first = "index" if name.endswith(CHINESE) else f"index{CHINESE}"
    link: str = pathto(other if other in known else first)
    return link
