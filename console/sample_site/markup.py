"""An article's blocks as HTML, by the templates of a design."""

from collections.abc import Callable
from html import escape

from console.sample_site.content import BOLD, FIGURE, LINK, StoryBlock, cells

Fill = Callable[..., str]


def block_html(fill: Fill, block: StoryBlock, layout: str = "") -> str:
    """Return one block as HTML. `layout` "br": paragraphs are separated by `<br>` only, in designs that support it."""
    match block.kind:
        case "list":
            return fill("list_block", items="\n".join(f"<li>{inline(line)}</li>" for line in block.lines))
        case "table":
            return fill("table_block", rows=_rows(block.lines))
        case "pre":
            return fill("pre", text=escape("\n".join(block.lines)))
        case "figure":
            caption, image = FIGURE.fullmatch(block.lines[0]).groups()  # type: ignore[union-attr]
            return fill("figure", caption=escape(caption), image=image)
        case "paragraph" if layout == "br":
            return fill("paragraph_br", text=_lines(block))
        case kind:
            return fill(kind, text=_lines(block))


def inline(text: str) -> str:
    """Return text as HTML, its inline marks as elements."""
    return BOLD.sub(r"<b>\1</b>", LINK.sub(r'<a href="\2">\1</a>', escape(text, quote=False)))


def _lines(block: StoryBlock) -> str:
    return "<br>\n".join(inline(line) for line in block.lines)


def _rows(lines: tuple[str, ...]) -> str:
    return "\n".join("<tr>" + "".join(f"<td>{inline(cell)}</td>" for cell in cells(line)) + "</tr>" for line in lines)
