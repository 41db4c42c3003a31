from extractors.content import assembly
from extractors.content.assembly import PageReader
from extractors.page import Page

from ..pages import BAKERY, HARBOUR, news_page


def test_pages_share_a_trie_until_it_is_too_large(monkeypatch):
    pages = [Page(news_page("New bread", BAKERY)), Page(news_page("Tides", HARBOUR))]
    reader = PageReader()
    one, other = (reader.read(page).lines.trie for page in pages)
    monkeypatch.setattr(assembly, "MAX_TRIE", one.size - 1)
    later = reader.read(pages[0]).lines.trie
    assert one is other
    assert later is not one
