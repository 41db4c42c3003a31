"""The messages that the console's templates and modules mark."""

from pathlib import Path
from typing import get_args

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir

from workers.health.alarms import AlarmKind

WEB = Path(__file__).parents[3] / "console" / "web"
KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2)}
METHODS = [("**.py", "python"), ("**.html", "jinja2.ext:babel_extract")]
OPTIONS = {"**.html": {"trim_blocks": "true", "lstrip_blocks": "true", "newstyle_gettext": "true", "encoding": "utf-8"}}


def add_messages(catalog: Catalog) -> None:
    """Add the messages to a catalogue."""
    found = extract_from_dir(WEB, METHODS, OPTIONS, keywords=KEYWORDS)
    for file, _, message, _, _ in sorted(found, key=lambda row: (row[0], row[1])):
        if message not in ("%(text)s", ""):
            catalog.add(message, locations=[(file, 0)])
    for kind in get_args(AlarmKind):
        catalog.add(kind)
