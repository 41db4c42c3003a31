"""The texts of the console's pages and their Chinese catalogue; `python -m tests.console.web.messages` updates it.

Texts that are new get an empty translation, which a test refuses; those that are gone are removed.
"""

import io
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

BEGUN = datetime(2026, 11, 22, tzinfo=UTC)  # a header without a clock: the same texts give the same file
WEB = Path(__file__).parents[3] / "console" / "web"
PO = WEB / "locale" / "zh" / "LC_MESSAGES" / "web.po"
KEYWORDS = {"gettext_noop": None, "ngettext_noop": (1, 2), "_": None, "gettext": None, "ngettext": (1, 2)}
METHODS = [("**.py", "python"), ("**.html", "jinja2.ext:babel_extract")]
OPTIONS = {"**.html": {"trim_blocks": "true", "lstrip_blocks": "true", "newstyle_gettext": "true", "encoding": "utf-8"}}


def wanted() -> Catalog:
    """The texts that the templates and modules mark."""
    catalog = Catalog(locale="zh", project="Exemplar", fuzzy=False, creation_date=BEGUN, revision_date=BEGUN)
    catalog.header_comment = "# The Chinese texts of the console."
    found = extract_from_dir(WEB, METHODS, OPTIONS, keywords=KEYWORDS)
    for file, _, message, _, _ in sorted(found, key=lambda row: (row[0], row[1])):
        if message not in ("%(text)s", ""):
            catalog.add(message, locations=[(file, 0)])
    return catalog


def present() -> Catalog:
    """The catalogue as it is."""
    if not PO.exists():
        return Catalog(locale="zh")
    with PO.open("rb") as file:
        return read_po(file, locale="zh")


def compiled(catalog: Catalog) -> bytes:
    """The catalogue as the program reads it."""
    out = io.BytesIO()
    write_mo(out, catalog)
    return out.getvalue()


def untranslated(catalog: Catalog) -> list[str]:
    """The texts without a translation."""
    return [str(message.id) for message in catalog if message.id and not "".join(message.string or "")]


def update() -> Catalog:
    """Write both files, and return the catalogue."""
    catalog, known = wanted(), present()
    for message in catalog:
        if message.id and (before := known.get(message.id)):
            message.string = before.string
    PO.parent.mkdir(parents=True, exist_ok=True)
    with PO.open("wb") as file:
        write_po(file, catalog, no_location=True, omit_header=False, sort_output=True, width=120)
    PO.with_suffix(".mo").write_bytes(compiled(present()))
    return catalog


if __name__ == "__main__":
    print(f"{PO}: {len(untranslated(update()))} texts without a translation")
