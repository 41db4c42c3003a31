"""`python -m console.locale`: adds missing messages to the catalogue, removes those that are gone, and compiles it."""

import sys

from console.locale import DOMAIN, FOLDER, LANGUAGE
from console.locale.catalogue import read_po, to_mo, to_po
from console.locale.source_messages import messages


def main() -> int:
    """Write the catalogue and its compiled form; return 1 if a message has no translation."""
    source = FOLDER / LANGUAGE / "LC_MESSAGES" / f"{DOMAIN}.po"
    known = read_po(source.read_text("utf-8")) if source.exists() else {}
    wanted = {key: known.get(key, "") for key in messages()}
    source.write_text(to_po(wanted), "utf-8")
    source.with_suffix(".mo").write_bytes(to_mo(wanted))
    missing = [key for key, translated in wanted.items() if not translated]
    for key in missing:
        print(f"not translated: {key}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
