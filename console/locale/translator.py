"""Finds the translation of a text that may contain values. Reads compiled catalogues as GNU gettext writes them."""

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

LONGEST = 4000  # characters of a line that is translated
DEEPEST = 12  # levels of nested values
ONE_WORD, FEW_WORDS = 13, 3  # characters of a message of one word, and words of a value before it
MOST_KNOWN = 10_000  # translations of texts and parts that are cached
CONTEXT = "\4"  # between context and text of a message, as in gettext
DESCRIPTION = "description"  # context of the descriptions of keys and fields
REPORT = "report"  # context of the messages of a report, which are looked up unchanged
PLACEHOLDER = re.compile(r"\{\d+\}")
JOINT = "\1"  # where a value meets the text
_CHINESE, _OTHER = r"[\u4e00-\u9fff]", "[A-Za-z0-9]"
NO_SPACE = re.compile(f"(?<={_CHINESE}) ?{JOINT}+ ?(?={_CHINESE})")
SPACE = re.compile(f"(?<={_CHINESE}){JOINT}+(?={_OTHER})|(?<={_OTHER}){JOINT}+(?={_CHINESE})")
SEPARATORS = (("; ", "；"), (". ", "。"), (": ", "："), (", ", "，"), (" ", " "))  # between parts
BRACKETS = re.compile(r"(?P<before>.+?) \((?P<inside>.+)\)(?P<after>.*)")


def read_mo(content: bytes) -> dict[str, str]:
    """Return the messages of a compiled catalogue, those with a context as `context\\4text`."""
    magic, _, count, originals, translations = struct.unpack_from("<5I", content)
    if magic != 0x950412DE:
        raise ValueError("not a compiled catalogue of messages")

    def text(table: int, number: int) -> str:
        length, start = struct.unpack_from("<2I", content, table + 8 * number)
        return content[start : start + length].decode()

    pairs = {text(originals, number): text(translations, number) for number in range(count)}
    return {original: translated for original, translated in pairs.items() if original}


@dataclass(frozen=True, slots=True)
class _Template:
    """A message with placeholders. `piece`: its longest literal part, by which most texts are excluded quickly."""

    expression: str
    piece: str
    order: tuple[int, ...]  # the placeholder of each group
    translated: str
    literal: int  # characters outside placeholders
    starts_with_value: bool  # a value begins the message, and no colon follows it
    ends_with_value: bool  # a value ends the message, and is not a message itself, as after a colon


class Translator:
    """Translates texts by a catalogue, which is empty for English.

    `messages`: by English text with numbered placeholders, or `context\\4text`. `language`: its tag; `stop`: the end of
    a sentence. Only messages are translated, never a text of a page: the template of a report gets it separately.
    """

    def __init__(self, messages: Mapping[str, str], language: str = "en", stop: str = ".") -> None:
        self.language, self._stop = language, stop
        self._messages = messages
        self._known: dict[str, str] = {}
        plain = {text: other for text, other in messages.items() if CONTEXT not in text}
        self._exact = {text: other for text, other in plain.items() if " " in text or not text.isalpha()}
        templates = [_template(*pair) for pair in plain.items() if PLACEHOLDER.search(pair[0])]
        self._templates = sorted(templates, key=lambda template: -template.literal)

    def word(self, text: str) -> str:
        """Return the translation of a single word."""
        return self._messages.get(f"word{CONTEXT}{text}", text)

    def noun(self, text: str) -> str:
        """Return measure word and noun for a number of things."""
        return self._messages.get(f"noun{CONTEXT}{text}", text)

    def fill(self, message: str, *values: object) -> str:
        """Return the translation of a report's message, its numbered placeholders filled with unchanged values."""
        texts = dict(enumerate(map(str, values)))
        return _filled(self._messages.get(f"{REPORT}{CONTEXT}{message}", message), texts)

    def text(self, text: str) -> str:
        """Return the translation of a text or word from another package, which includes its values."""
        return self.translate(text) if " " in text else self.word(text)

    def sentence(self, text: str) -> str:
        """Return the translation of a text from another package, as a sentence."""
        return self.text(text) + self._stop

    def translate(self, text: str) -> str:
        """Return the translation of a text, line by line; unknown parts do not change."""
        if not self._messages:
            return text
        return "\n".join(self._line(line) for line in text.split("\n"))

    def _line(self, line: str) -> str:
        body = line.strip(" ")
        if not body or len(body) > LONGEST or not re.search("[a-zA-Z]{2}", body):
            return line
        indent = line[: len(line) - len(line.lstrip(" "))]
        if body.endswith(":") and (heading := self._part(body[:-1], 0)) != body[:-1]:
            return f"{indent}{heading}："
        return f"{indent}{self._part(body, 0)}"

    def _part(self, text: str, depth: int) -> str:
        if text in self._exact:
            return self._exact[text]
        if depth > DEEPEST or " " not in text:
            return text
        for separator, ours in SEPARATORS[:-1]:
            if text.startswith(separator):
                return ours + self._part(text.removeprefix(separator), depth + 1)
        if text not in self._known:
            whole = self._by_template(text, depth)
            self._known[text] = whole if whole is not None else self._by_parts(text, depth)
        result = self._known[text]
        if len(self._known) > MOST_KNOWN:
            self._known.clear()
        return result

    def _by_template(self, text: str, depth: int) -> str | None:
        for template in self._templates:
            if template.piece not in text or (match := _compiled(template.expression).fullmatch(text)) is None:
                continue
            if not all(map(_is_balanced, match.groups())):
                continue  # a bracket and the text up to another one
            if template.starts_with_value and ": " in match[1]:
                continue  # a place, a task or another message before it
            if template.expression.startswith("(") and "; " in match[1]:
                continue  # another message before it
            if template.starts_with_value and template.literal <= ONE_WORD and match[1].count(" ") >= FEW_WORDS:
                continue  # a sentence that ends with, or contains, a word such as a unit
            if template.ends_with_value and "; " in match[len(template.order)]:
                continue  # another message after it
            pairs = zip(template.order, match.groups(), strict=True)
            return _filled(template.translated, {place: self._part(value, depth + 1) for place, value in pairs})
        return None

    def _by_parts(self, text: str, depth: int) -> str:
        if (joined := self._split(text, *SEPARATORS[0], depth)) is not None:
            return joined
        if (joined := self._after_message(text, ", ", "，", depth)) is not None:
            return joined
        if brackets := BRACKETS.fullmatch(text):
            before, inside = (self._part(brackets[name], depth + 1) for name in ("before", "inside"))
            if (before, inside) != (brackets["before"], brackets["inside"]):
                return f"{before}（{inside}）{self._part(brackets['after'], depth + 1)}"
        for separator, ours in SEPARATORS[1:-1]:
            if (joined := self._split(text, separator, ours, depth)) is not None:
                return joined
        return text

    def _split(self, text: str, separator: str, ours: str, depth: int) -> str | None:
        """Translate both sides of a separator outside brackets; None if neither has a translation."""
        for head, tail in _sides(text, separator):
            translated = self._part(head, depth + 1), self._part(tail, depth + 1)
            if translated != (head, tail):
                return ours.join(translated)
        return None

    def _after_message(self, text: str, separator: str, ours: str, depth: int) -> str | None:
        """Translate a text that begins with a message in which the separator is, too; None if there is none."""
        for head, tail in reversed(_sides(text, separator)):
            if separator in head and (begun := self._by_template(head, depth + 1)) is not None:
                return ours.join((begun, self._part(tail, depth + 1)))
        return None


def _sides(text: str, separator: str) -> list[tuple[str, str]]:
    """Return what is before and after each separator outside brackets."""
    places = [found.start() for found in re.finditer(re.escape(separator), text)]
    sides = [(text[:place], text[place + len(separator) :]) for place in places]
    return [(head, tail) for head, tail in sides if head.count("(") == head.count(")")]


def _is_balanced(text: str) -> bool:
    """Whether each bracket of a text is opened before it is closed, and closed."""
    depth = 0
    for bracket in re.findall("[()]", text):
        depth += 1 if bracket == "(" else -1
        if depth < 0:
            return False
    return depth == 0


@cache
def _compiled(expression: str) -> "re.Pattern[str]":
    return re.compile(expression)


def _filled(text: str, values: Mapping[int, str]) -> str:
    """Return a text with its placeholders replaced; a value may look like a placeholder itself.

    Where a value meets the text, Chinese has a space before and after letters and digits, and none between characters.
    """
    filled = PLACEHOLDER.sub(lambda found: f"{JOINT}{values[int(found[0][1:-1])]}{JOINT}", text)
    return NO_SPACE.sub("", SPACE.sub(" ", filled)).replace(JOINT, "")


def _template(text: str, translated: str) -> _Template:
    literals, order = PLACEHOLDER.split(text), [int(found[1:-1]) for found in PLACEHOLDER.findall(text)]
    groups = ["(.*?)" if literal else "(.*)" for literal in (*literals[1:-1], "end")]  # the first of adjacent values
    pattern = "".join(f"{re.escape(literal)}{group}" for literal, group in zip(literals, groups, strict=False))
    pattern += re.escape(literals[-1])
    literal = sum(len(part) for part in literals)
    starts_with_value = not literals[0] and not literals[1].startswith(":")
    ends_with_value = not literals[-1] and not literals[-2].endswith(": ") and "; " not in text
    piece = max(literals, key=len)
    return _Template(pattern, piece, tuple(order), translated, literal, starts_with_value, ends_with_value)
