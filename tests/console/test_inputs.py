"""The pages that `exemplar extract` reads from files."""

import quopri
from pathlib import Path

from console.inputs import PageIn, pages
from extractors import extract

from ..extractors.pages import BAKERY, news_page

SAVED = (
    'Subject: Saved\nMIME-Version: 1.0\nContent-Type: multipart/related; type="text/html"; boundary="x"\n\n--x\n'
    "Content-Type: text/html; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n"
    "Content-Location: https://gazette.example/1\n\n{}\n--x\nContent-Type: text/css\n\np {{}}\n--x--\n"
)


def read(file: Path, content: bytes) -> PageIn:
    file.write_bytes(content)
    [page] = pages([str(file)])[1]
    assert isinstance(page, PageIn)
    return page


def test_a_page_that_a_browser_saved_in_one_file_is_read_with_its_url(tmp_path: Path) -> None:
    html = news_page("Bröd", [text.replace("o", "ö") for text in BAKERY])
    saved = SAVED.format(quopri.encodestring(html.encode("iso-8859-1")).decode())
    page = read(tmp_path / "page.mhtml", saved.encode())
    assert page.url == "https://gazette.example/1"
    assert extract(page.body, page.url, content_type=page.content_type).text == extract(html).text


def test_parts_within_parts_without_end_are_no_saved_page(tmp_path: Path) -> None:
    parts = "".join(f'Content-Type: multipart/related; boundary="b{n}"\n\n--b{n}\n' for n in range(5000))
    assert read(tmp_path / "page.mhtml", parts.encode()).body == parts.encode()
