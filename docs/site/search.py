"""The search of the site, in both languages: English words by their stems, Chinese by each two characters in a row.

A query in Chinese is cut in the same way in the browser, and all pairs must be on a page. So any part of a text is
found, without a dictionary on either side.
"""

import re

from sphinx.search.en import SearchEnglish

WORD = re.compile(r"[A-Za-z0-9_]+")
RUN = re.compile(r"[\u3400-\u9fff]+")  # of Chinese characters


class BilingualSearch(SearchEnglish):
    """Cuts texts and queries of both languages into terms."""

    js_splitter_code = """
function splitQuery(query) {
  const terms = query.match(/[A-Za-z0-9_]+/g) || [];
  for (const run of query.match(/[\\u3400-\\u9fff]+/g) || []) {
    if (run.length === 1) terms.push(run);
    for (let place = 0; place + 1 < run.length; place++) terms.push(run.slice(place, place + 2));
  }
  return terms;
}
"""

    def __init__(self, options: dict[str, str]) -> None:
        super().__init__(options)
        self._stems: dict[str, str] = {}  # a word occurs on many pages, and its stem takes long

    def stem(self, word: str) -> str:
        """Return the stem of an English word; a Chinese term as it is."""
        if not word.isascii():
            return word
        if word not in self._stems:
            self._stems[word] = super().stem(word)
        return self._stems[word]

    def split(self, text: str) -> list[str]:
        """Return the terms of a text; of Chinese also each single character, for queries of one."""
        pairs = [run[place : place + 2] for run in RUN.findall(text) for place in range(len(run) - 1)]
        single = [character for run in RUN.findall(text) for character in run]
        return [*WORD.findall(text), *pairs, *single]
