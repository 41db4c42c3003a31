"""The pictures that an article's HTML shows, and the files in which a task keeps them (`pictures: keep`).

The name of a file is the hash of the picture's address, so that it is known before the picture is fetched, and a row is
written once. Drawings (SVG) are not kept, since they may contain scripts, which run when such a file is opened.
"""

import re
from hashlib import sha256
from html import escape, unescape

MOST = 100  # pictures of an article that are kept
NAME_DIGITS = 32  # hexadecimal digits of the SHA-256 of an address
_IMAGE = re.compile(r'<img src="(https?://[^"]+)"', re.IGNORECASE)  # as `extractors.html.sanitising` writes it
_SUFFIX = re.compile(r"\.(?:jpe?g|png|gif|webp|avif)\Z", re.IGNORECASE)
_DRAWING = re.compile(r"\.svgz?\Z", re.IGNORECASE)


def pictures_in(html: str) -> list[str]:
    """Return the addresses of the pictures that are kept, each once."""
    urls = dict.fromkeys(unescape(match[1]) for match in _IMAGE.finditer(html))
    return [url for url in urls if not _DRAWING.search(_path(url))][:MOST]


def linked(html: str, way: str) -> str:
    """Return HTML whose pictures are the kept files; `way`: from the file with the HTML to their folder."""
    kept = {url: f"{way}{file_name(url)}" for url in pictures_in(html)}

    def link(match: "re.Match[str]") -> str:
        url = unescape(match[1])
        return f'<img src="{escape(kept[url])}"' if url in kept else match[0]

    return _IMAGE.sub(link, html)


def file_name(url: str) -> str:
    """Return the name of the file of a picture, with the suffix of the address if that is one of a picture."""
    suffix = _SUFFIX.search(_path(url))
    digits = sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:NAME_DIGITS]
    return digits + (suffix[0].lower() if suffix else "")


def _path(url: str) -> str:
    return url.partition("#")[0].partition("?")[0]
