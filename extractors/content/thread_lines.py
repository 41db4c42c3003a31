"""Which lines of a page are the text of a thread's posts.

The posts are found by structure (`posts`), the lines by what they say: posts are read from a tree of their own.
"""

import re

import numpy as np

from ..html.lines import Flags
from ..posts import LEAST, read_thread
from .assembly import ParsedPage

LONG = 40  # characters of a line from which it may be a part of a paragraph of a post
_SPACE = re.compile(r"\s+")


def lines_of_posts(parsed: ParsedPage) -> Flags | None:
    """Return whether each line is in a post, None if the page has fewer than `LEAST` posts."""
    return parsed.lines.once("posts", None, lambda: _lines_of_posts(parsed))


def _lines_of_posts(parsed: ParsedPage) -> Flags | None:
    (posts,) = read_thread([parsed.page], is_thread=True)
    if len(posts) < LEAST:
        return None
    paragraphs = {_SPACE.sub("", paragraph) for post in posts for paragraph in post.text.split("\n")}
    whole = "\n".join(paragraphs)
    texts = [_SPACE.sub("", text) for text in parsed.lines.texts]
    return np.array([text in paragraphs or (len(text) >= LONG and text in whole) for text in texts], np.bool_)
