"""The Chinese catalogues of command line and console; `python -m tests.console.catalogues` updates them.

Messages that are new get an empty translation, which a test refuses; those that are gone are removed. Messages that no
search of the source finds, such as words of tables, states, and texts of click, are added to the catalogue by hand.
"""

import io
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from console.locale.translator import CONTEXT
from tests.console.source_messages import messages
from tests.console.web.page_messages import add_messages

BEGUN = datetime(2026, 11, 22, tzinfo=UTC)  # a header without a clock: the same messages give the same file
BY_HAND = "by hand"  # comment of a message that stays as it is
CONSOLE = Path(__file__).parents[2] / "console"
COMMAND_LINE = CONSOLE / "locale" / "zh" / "LC_MESSAGES" / "exemplar.po"
PAGES = CONSOLE / "web" / "locale" / "zh" / "LC_MESSAGES" / "web.po"


def wanted_of_command_line() -> Catalog:
    """Return the messages of the command line, untranslated."""
    catalog = _empty("The messages of the command line.")
    for key in messages():
        context, _, message = key.rpartition(CONTEXT)
        catalog.add(message, context=context or None)
    return _with_those_by_hand(catalog, COMMAND_LINE)


def wanted_of_pages() -> Catalog:
    """Return the messages of the console's pages, untranslated."""
    catalog = _empty("The Chinese texts of the console.")
    add_messages(catalog)
    return _with_those_by_hand(catalog, PAGES)


WANTED: dict[Path, Callable[[], Catalog]] = {COMMAND_LINE: wanted_of_command_line, PAGES: wanted_of_pages}


def present(po: Path) -> Catalog:
    """Return a catalogue as it is. Raises `babel.messages.pofile.PoFileError` for an invalid line."""
    if not po.exists():
        return Catalog(locale="zh")
    with po.open("rb") as file:
        return read_po(file, locale="zh", abort_invalid=True)


def compiled(catalog: Catalog) -> bytes:
    """Return a catalogue as the program reads it."""
    out = io.BytesIO()
    write_mo(out, catalog)
    return out.getvalue()


def translations(catalog: Catalog) -> dict[str, str]:
    """Return the translations by message; of those with a context by `context\\4message`."""
    return {_key(message.context, message.id): "".join(message.string or "") for message in catalog if message.id}


def untranslated(catalog: Catalog) -> list[str]:
    """Return the messages without a translation."""
    return [key for key, text in translations(catalog).items() if not text]


def update(po: Path) -> Iterator[str]:
    """Write a catalogue and its compiled form; yield the messages without a translation."""
    catalog, known = WANTED[po](), present(po)
    for message in catalog:
        if message.id and (before := known.get(message.id, message.context)):
            message.string = before.string
    with po.open("wb") as file:
        write_po(file, catalog, no_location=True, sort_output=True, width=120)
    po.with_suffix(".mo").write_bytes(compiled(present(po)))
    yield from untranslated(catalog)


def _empty(comment: str) -> Catalog:
    catalog = Catalog(locale="zh", project="Exemplar", fuzzy=False, creation_date=BEGUN, revision_date=BEGUN)
    catalog.header_comment = f"# {comment}"
    return catalog


def _with_those_by_hand(catalog: Catalog, po: Path) -> Catalog:
    for message in present(po):
        if BY_HAND in message.user_comments:
            catalog.add(message.id, context=message.context, user_comments=[BY_HAND])
    return catalog


def _key(context: str | None, message: str | tuple[str, ...] | list[str]) -> str:
    text = message if isinstance(message, str) else message[0]
    return f"{context}{CONTEXT}{text}" if context else text


if __name__ == "__main__":
    missing = [message for po in WANTED for message in update(po)]
    for message in missing:
        print(f"not translated: {message}", file=sys.stderr)
    sys.exit(bool(missing))
