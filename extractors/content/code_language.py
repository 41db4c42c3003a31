"""The language of a piece of code, as the usual highlighters write it into class names and attributes."""

import re

from lxml import etree

ABOVE = 4  # elements around a <pre> that may name its language
NAMES_LENGTH = 500  # characters
_NONE = frozenset({
    "text", "plaintext", "plain", "txt", "none", "nohighlight", "fallback", "default", "auto", "undefined", "code",
    "highlight", "highlighter", "highlighted", "hljs", "line", "lines", "block", "box", "wrapper", "toolbar", "source",
    "linenums", "numbers", "copy", "wrap", "table", "container",
})  # fmt: skip
_ATTRIBUTES = ("data-lang", "data-language", "data-enlighter-language", "data-code-language")
_FORMS = (  # the first that is found counts
    re.compile(r"(?:^|\s)(?:language|lang|highlight-source|highlight-text)-([\w+#.-]+)"),
    re.compile(r"(?:^|[\s;])(?:brush|lang)\s*:\s*([\w+#.-]+)"),
    re.compile(r"(?:^|\s)(?:figure\s+)?highlight[\s-]([\w+#.-]+)"),  # hexo, Sphinx
    re.compile(r"(?:^|\s)(?:sourceCode|hljs|prettyprint|CodeMirror|syntaxhighlighter|codehilite)\s+([\w+#.-]+)"),
    re.compile(r"(?:^|\s)([\w+#-]+)\s+(?:hljs|syntaxhighlighter)(?:\s|$)"),
)
_VALID = re.compile(r"[A-Za-z][\w+#.-]{0,30}\Z")


def code_language(pre: etree._Element) -> str | None:
    """Return the language of a <pre> in lower case; None if the page does not name it."""
    inner = next(pre.iter("code"), None)
    around = [element for element in (inner, pre) if element is not None]
    for element in pre.iterancestors():
        if len(around) > ABOVE or element.tag in ("body", "article", "main", "li"):
            break
        around.append(element)
    for element in around:
        for name in _ATTRIBUTES:
            if found := _language(element.get(name) or ""):
                return found
        names = (element.get("class") or "")[:NAMES_LENGTH]
        for form in _FORMS if names else ():
            for match in form.finditer(names):
                if found := _language(match[1]):
                    return found
    return None


def _language(word: str) -> str | None:
    word = word.strip().lower().removeprefix("language-").removeprefix("source-")
    return word if _VALID.match(word) and word not in _NONE else None
