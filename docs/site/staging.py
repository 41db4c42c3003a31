"""Copies the pages to where Sphinx reads them: a page's place in the site may differ from its place in the repository.

Links between pages follow them. A link to a file that is no page of the site, such as a source, becomes its text.
"""

import posixpath
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from docs.site.contents import CHINESE, CONTENTS, DECISIONS, DOCS, ROOT, all_pages, decisions

LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\[\]]*\])*\])\(([^()\s#]+)(#[^()\s]*)?\)")
FENCE = re.compile(r"^ *```")
HAN = "\u2e80-\u9fff\uff00-\uffef“”‘’…—"
WRAPPED = re.compile(
    rf"(?<=[{HAN}])\n *(?=[{HAN}])|(?<=[。，；：、！？）”])\n *(?=[A-Za-z`\[])|(?<=[A-Za-z0-9`)])\n *(?=[，。；：、）])"
)
PICTURE = re.compile(r"^<!-- picture: ([\w-]+) (.+) -->$", re.M)
HIDDEN_CONTENTS = "\n\n```{{toctree}}\n:hidden:\n\n{}\n```\n"


class MissingPageError(ValueError):
    """A link leads to a file that does not exist."""


def stage(target: Path, pictures: Path | None = None) -> None:
    """Write all pages below `target`, which is emptied; with `pictures`, what `docs.site.pictures` wrote there, too.

    Raises `MissingPageError` for a link to a file that does not exist.
    """
    shutil.rmtree(target, ignore_errors=True)
    places = _places()
    for source, name in places.items():
        text = _with_pictures(source.read_text("utf-8"), name, pictures)
        _write(target, name, _placed(_opening(name) + text, source, name, places) + _contents_below(name))
    _write(target, DECISIONS, _list_of_decisions())
    shutil.copytree(DOCS / "figures", target / "figures")
    if pictures:
        shutil.copytree(pictures, target / "pictures")


def _places() -> dict[Path, str]:
    """Return the source of each page with its name in the site."""
    places = {page.file(): page.name for page in all_pages() if page.name != DECISIONS}
    places |= {page.file(CHINESE): page.name + CHINESE for page in all_pages() if page.has_chinese()}
    return places | {file: f"decisions/{file.stem}" for file in decisions()}


def _write(target: Path, name: str, text: str) -> None:
    file = target / f"{name}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def _placed(text: str, source: Path, name: str, places: Mapping[Path, str]) -> str:
    """Return a page's text with links from its place in the site, and without line breaks within Chinese."""
    parts = _prose_and_code(text)
    return "".join(
        part if is_code else joined(LINK.sub(lambda link: link_in_site(link, source, name, places), part))
        for part, is_code in parts
    )


def _prose_and_code(text: str) -> list[tuple[str, bool]]:
    """Return the parts of a page in their order, each with whether it is a block of code."""
    parts: list[tuple[str, bool]] = []
    lines: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        if not FENCE.match(line):
            lines.append(line)
        elif inside:
            parts.append(("".join([*lines, line]), True))
            lines, inside = [], False
        else:
            parts.append(("".join(lines), False))
            lines, inside = [line], True
    return [*parts, ("".join(lines), inside)]


def joined(prose: str) -> str:
    """Return prose without the line breaks within Chinese, which a browser would show as spaces."""
    return WRAPPED.sub("", prose)


def link_in_site(link: "re.Match[str]", source: Path, name: str, places: Mapping[Path, str]) -> str:
    """Return a link of `source` as the page called `name` has it. Raises `MissingPageError` if it leads nowhere."""
    text, path, anchor = link[1], link[2], link[3] or ""
    if "://" in path or path.startswith(("mailto:", "pictures/")):
        return link[0]
    target = (source.parent / path).resolve()
    if not target.exists():
        raise MissingPageError(f"{source.relative_to(ROOT)}: {path} does not exist")
    if target == DOCS / "decisions":
        place = f"{DECISIONS}.md"
    elif target in places:
        place = f"{places[target]}.md"
    elif target.is_relative_to(DOCS / "figures"):
        place = target.relative_to(DOCS).as_posix()
    else:
        return text[1:-1] if text.startswith("[`") else f"`{target.relative_to(ROOT)}`"
    return f"{text}({posixpath.relpath(place, posixpath.dirname(name) or '.')}{anchor})"


def _with_pictures(text: str, name: str, pictures: Path | None) -> str:
    """Return the text with a picture in the place of each comment that names one and its description."""
    up = "../" * name.count("/")

    def shown(comment: "re.Match[str]") -> str:
        if pictures is None or not (pictures / f"{comment[1]}.webp").exists():
            return ""
        return f"![{comment[2]}]({up}pictures/{comment[1]}.webp)"

    return PICTURE.sub(shown, text)


def _opening(name: str) -> str:
    """Return what Sphinx needs above the first Chinese page: that no other page has it among its contents."""
    return "---\norphan: true\n---\n\n" if name == f"index{CHINESE}" else ""


def _contents_below(name: str) -> str:
    """Return what the first page of a language has below its text: all pages of that language, for Sphinx alone."""
    if name == "index":
        return _hidden(page.name for section in CONTENTS for page in section.pages if page.name != "index")
    if name == f"index{CHINESE}":
        chinese = [page.name + CHINESE for page in all_pages() if page.has_chinese() and page.name != "index"]
        return _hidden(chinese)
    return ""


def _hidden(names: Iterable[str]) -> str:
    return HIDDEN_CONTENTS.format("\n".join(names))


def _list_of_decisions() -> str:
    first_lines = [(file.stem, file.read_text("utf-8").splitlines()[0].removeprefix("# ")) for file in decisions()]
    lines = [f"- [{title}]({stem}.md)" for stem, title in first_lines]
    opening = (
        "# Decisions\n\nThe reasons for choices that may be contested, ten lines each, in the order of their time.\n\n"
    )
    return opening + "\n".join(lines) + _hidden(stem for stem, _ in first_lines)
