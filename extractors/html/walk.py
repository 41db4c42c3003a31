"""The walk over the tree in the form in use: compiled where that is available, otherwise in Python.

`compiled_walk` is an optional part of an installation (setup.py). It reads the nodes of libxml2 directly in memory, so
both forms are compared on a small page first: with an lxml whose nodes have another layout the Python form is used.
`EXEMPLAR_PURE=1` in the environment chooses the Python form.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lxml import etree

from . import python_walk
from .elements import KINDS, MAX_DEPTH, Walked, hides, is_for_screen_readers
from .paths import TEXTUAL, PathTrie

if TYPE_CHECKING:
    from .compiled_walk import Walker

PURE = "EXEMPLAR_PURE"  # environment variable: any value but 0 and the empty one chooses Python
MANY = 100_000  # lines

# Every kind of element, attribute and text that the walk distinguishes.
_TRIAL = (
    "<html><head><title>t</title></head><body>start<div class='a b' id=main role=main itemprop=articleBody>one "
    "<b class=c>two</b>\u00a0thr\u00e9e <a href=/x>link <i>in</i> it</a> tail<br>four<p class=d>\u4e2d\u6587\u3000five"
    "</p><p hidden>no</p><p style='display: none'>no</p><span class=sr-only>no</span><x-y>inline</x-y></div><ul><li "
    "class=e>a</li><li class=e>b<a name=n><b>c</b></a></li></ul><pre class=f>\n  code <b>x</b>\n<a href=/y> y </a><br>"
    "z</pre><img src=i><iframe src=j></iframe><button><p>k</p></button><button>k</button><template></template>"
    "<script>no()</script><table><tr><td id=cell>6<td>7</table><a href=/z>out<a href=/w>in</a></a>end</body></html>"
)


def walk(body: etree._Element, trie: PathTrie, hide: bool, most: int) -> Walked:
    """Return at most `most` lines below `body`; their paths are interned in `trie`. `hide`: without hidden elements."""
    if _walker is not None:
        walked = _compiled(_walker, body, trie, hide, most)
        if walked is not None:
            return walked
    return python_walk.walk(body, trie, hide, most)


def walk_in_use() -> str:
    """Return the form of the walk that is in use: "compiled" or "Python"."""
    return "Python" if _walker is None else "compiled"


@contextmanager
def in_python() -> Iterator[None]:
    """Use the Python form of the walk within the block, to compare both forms."""
    global _walker
    walker, _walker = _walker, None
    try:
        yield
    finally:
        _walker = walker


def _compiled(walker: "Walker", body: etree._Element, trie: PathTrie, hide: bool, most: int) -> Walked | None:
    """Return the result of the compiled walk; None if the page has something that only the Python form supports."""
    found = walker.walk(body, trie, hide, most)
    return None if found is None else Walked(*found)


def _load() -> "Walker | None":
    """Return the compiled walk if it is installed and wanted, and agrees with the Python form."""
    if os.environ.get(PURE, "0") not in ("", "0"):
        return None
    try:
        from . import compiled_walk

        walker = compiled_walk.Walker(KINDS, TEXTUAL, hides, is_for_screen_readers, python_walk.fold, MAX_DEPTH)
        root = etree.fromstring(_TRIAL, etree.HTMLParser(collect_ids=False))
        return walker if all(map(compiled_walk.fits, root.iter())) and agrees(walker, root) else None
    except Exception:  # not installed, or compiled for another lxml or Python
        return None


def agrees(walker: "Walker", root: etree._Element) -> bool:
    """Return whether the compiled walk finds in a tree what the Python form finds."""
    for hide in (True, False):
        expected = python_walk.walk(root, PathTrie(), hide, MANY)
        found = _compiled(walker, root, PathTrie(), hide, MANY)
        if found is None or as_lists(found) != as_lists(expected):
            return False
    return True


def as_lists(walked: Walked) -> list[list[Any]]:
    """Return the fields as lists, which can be compared."""
    return [list(field) for field in walked]


_walker = _load()
