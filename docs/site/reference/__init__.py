"""What is written from the program itself: `python -m docs.site.reference` (`make reference`).

These are the pages of docs/reference/, and the sections on files of the packages' pages.

They are in the repository, so that they can be read beside the source, and a change of the program shows as a change of
its reference. A test refuses pages that are not those of the program.
"""

from docs.site.contents import CHINESE, DOCS
from docs.site.reference.command_line import command_line_page
from docs.site.reference.files import PACKAGES, page_of, with_files
from docs.site.reference.languages import CHINESE_WORDING, ENGLISH_WORDING
from docs.site.reference.python_interface import python_page
from docs.site.reference.rows import rows_page
from docs.site.reference.tasks import tasks_page

FOLDER = DOCS / "reference"


def pages() -> dict[str, str]:
    """Return the pages by the names of their files."""
    written = {"python.md": python_page()}
    for suffix, wording in (("", ENGLISH_WORDING), (CHINESE, CHINESE_WORDING)):
        written[f"tasks{suffix}.md"] = tasks_page(wording)
        written[f"rows{suffix}.md"] = rows_page(wording)
        written[f"command-line{suffix}.md"] = command_line_page(wording)
    return written


def write_pages() -> None:
    """Write the pages into docs/reference/, and the sections on files."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, "utf-8")
    for package in PACKAGES:
        page = page_of(package)
        page.write_text(with_files(page.read_text("utf-8"), package), "utf-8")
