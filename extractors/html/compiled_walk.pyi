from collections.abc import Callable, Collection, Mapping

from lxml import etree

from .elements import Elements
from .paths import PathTrie

class Walker:
    def __init__(
        self,
        kinds: Mapping[str, int],
        textual: Collection[str],
        hides: Callable[[str], bool],
        for_readers: Callable[[str], bool],
        fold: Callable[[str], str],
        max_depth: int,
    ) -> None: ...
    def walk(
        self, body: etree._Element, trie: PathTrie, hide: bool, most: int
    ) -> (
        tuple[
            list[str],
            list[int],
            list[int],
            list[bool],
            list[int],
            list[int],
            Elements,
            list[int],
            Elements,
            list[tuple[int, int, etree._Element]],
            list[etree._Element],
        ]
        | None
    ): ...

def fits(element: etree._Element) -> bool: ...
