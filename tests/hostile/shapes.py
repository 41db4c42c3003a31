"""A generator of shapes of pages: a frame that is opened many times, with a piece within that is repeated many times.

Half of a page is the frame, and half the pieces. What examines the content of each frame, or all pieces before each
piece, takes four times as long for a page that is twice as large.
"""

from collections.abc import Iterator

from tests.hostile.parsers import PROSE, TITLE

FRAMES = (  # opened again and again, mostly never closed; "": the pieces alone
    "", "<div>", "<div class=a id=b>", "<h1>", "<h1><div>", "<h2>", "<p>", "<span>", "<b>", "<a href=/x>", "<a>",
    "<ul><li>", "<table><tr><td>", "<article>", "<section>", "<blockquote>", "<time>", "<button>", "<details><summary>",
    "<div itemprop=author>", "<div itemscope itemprop=author><i itemprop=name>", "<span itemprop=datePublished>",
    "<figure><figcaption>", "<nav>", "<aside hidden>", "<div aria-expanded=false></div><div hidden>", "<select>",
    "<template shadowrootmode=open>", "<svg>", "<dl><dt>", "<pre><code>", "<form>", "<iframe>", "<noscript>",
)  # fmt: skip
PIECES = (  # … and repeated within
    "x ", "x<br>", "x<b>y</b>", "<p>Line of text, with words.</p>", "<a href=/y>t</a>", "<b><a href=/y>t</a></b>",
    "<li><a href=/y.html>An entry of the list</a></li>", "<h1>Title</h1>", "<h2>t</h2>x", "<time>5 May 2024</time>",
    "<span itemprop=author>n</span>", "<span itemprop=x></span>", "<img src=/a.png alt=b>", "<!-- c -->", "<hr>",
    "<meta property=og:title content=Title>", "<link rel=canonical href=/z>", "<td>x", "<tr><td>x</td></tr>", "<i>",
    "</p>", "</div>x", "&amp;", "汉字。", "<script>var a</script>", '<script type="application/ld+json">{}</script>',
    "<button><p><p><p><p></button>", "<figure><img src=/a></figure>", "<div class=date>2024-05-05</div>",
    "<div id=S:1 hidden></div>", "By A B ", "<input>", "<code>x</code>", "<sup><a href=#f1>1</a></sup>",
    "<span class=a style=b>x</span>",
)  # fmt: skip


def shapes() -> Iterator[tuple[str, str]]:
    """All pairs of a frame and a piece."""
    return ((frame, piece) for frame in FRAMES for piece in PIECES)


def page(frame: str, piece: str, size: int) -> str:
    """Return a page of about `size` characters."""
    opened = frame * (size // 2 // len(frame)) if frame else ""
    return TITLE + opened + piece * ((size - len(opened)) // len(piece)) + PROSE
