from collections.abc import Callable, Collection, Mapping

from lxml import etree

from .paths import PathTrie

class Memory: ...

class Walker:
    def __init__(
        self,
        kinds: Mapping[str, int],
        textual: Collection[str],
        hides: Callable[[str], bool],
        for_readers: Callable[[str], bool],
        max_depth: int,
    ) -> None: ...
    def walk(
        self, body: etree._Element, trie: PathTrie, paths: Memory, hide: bool, most: int
    ) -> (
        tuple[
            list[str],
            list[int],
            list[int],
            list[bool],
            bytes,
            bytes,
            list[tuple[int, etree._Element]],
            list[tuple[int, int, etree._Element]],
            list[etree._Element],
        ]
        | None
    ): ...

def fits(element: etree._Element) -> bool: ...
