"""Messages in the language of the user: Chinese where the locale is Chinese, else English, unchanged.

Messages are written in English in all packages. Where a text is printed, `in_language` looks for it in the catalogue:
the whole text, a template that it was made from (`{0}: skipped; task {1} covers it`), or its parts; values in it are
translated in the same way. Texts that are not in the catalogue stay English.
JSON, log lines and texts of pages are never translated.
"""

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

    from console.locale.translator import Translator


FOLDER = Path(__file__).parent
DOMAIN = "exemplar"
LANGUAGE = "zh"
VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")  # the first one that is set decides


@cache
def is_chinese() -> bool:
    """Return whether the locale of the environment is Chinese."""
    chosen = next((value for name in VARIABLES if (value := os.environ.get(name))), "")
    return chosen.lower().startswith(LANGUAGE)


def in_language(text: str) -> str:
    """Return a message, of one or several lines, in the language of the user."""
    return translator_of(LANGUAGE).translate(text) if is_chinese() else text


def word(text: str) -> str:
    """Return a single word of a table, a heading or a state, in the language of the user."""
    return translator_of(LANGUAGE).word(text) if is_chinese() else text


def noun(text: str) -> str | None:
    """Return measure word and noun for a number of things; None in English, where the noun is inflected."""
    return translator_of(LANGUAGE).noun(text) if is_chinese() else None


@cache
def translator_of(language: str) -> "Translator":
    """Return the translator for a language, independently of the locale: `zh`; for any other, texts stay English."""
    from console.locale.translator import Translator, read_mo

    file = FOLDER / LANGUAGE / "LC_MESSAGES" / f"{DOMAIN}.mo"
    return Translator(read_mo(file.read_bytes()), "zh-Hans", "。") if language == LANGUAGE else Translator({})


def use_for_click() -> None:
    """Make click look up its own messages (`Usage:`, `No such option`) in this catalogue."""
    import gettext

    gettext.bindtextdomain(DOMAIN, FOLDER)
    gettext.textdomain(DOMAIN)
    os.environ["LANGUAGE"] = LANGUAGE  # gettext derives the file's name from it, without the region


def translate_help(command: "click.Command") -> None:
    """Translate a command's help, those of its options and, of a group, its commands."""
    command.help, command.epilog = _paragraphs(command.help), _epilog(command.epilog)
    for parameter in command.params:
        help_text = getattr(parameter, "help", None)
        if help_text:
            parameter.help = in_language(help_text)
    for part in getattr(command, "commands", {}).values():
        translate_help(part)


def _paragraphs(text: str | None) -> str | None:
    if text is None:
        return None
    return "\n\n".join(in_language(" ".join(paragraph.split())) for paragraph in text.split("\n\n"))


def _epilog(text: str | None) -> str | None:
    """Translate an epilog line by line; in an example only the description after the command."""
    if text is None:
        return None
    lines = []
    for line in text.splitlines():
        if line == "Examples:":
            lines.append(f"{word('Examples')}：")
            continue
        start, gap, rest = line.rpartition("   ")
        lines.append(f"{start}{gap}{in_language(rest)}" if rest.strip() else line)
    return "\n".join(lines)


def wording_here() -> "Translator":
    """Return the translator for the language of this process' user."""
    return translator_of(LANGUAGE if is_chinese() else "en")
