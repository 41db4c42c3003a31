"""The fields of a row, from its schema."""

from docs.site.reference.languages import PageTexts
from docs.site.reference.markdown import code, escaped, page, table
from docs.site.reference.tasks import WRITTEN_BY
from workers.sinks.row_schema import CHOICES

OPENING = (
    "Each article, or each entry of a list, is one row. `exemplar schema` prints the same as a JSON Schema. Later "
    "versions may add fields; none is removed, renamed or given another type, so a reader must ignore unknown "
    "fields."
)


def rows_page(wording: PageTexts) -> str:
    """Return the page in one language."""
    rows = [
        [code(name), ", ".join(map(code, _types(field["type"]))), escaped(wording.description(field["description"]))]
        for name, field in CHOICES.items()
    ]
    head = [wording.phrase(word) for word in ("field", "form", "meaning")]
    parts = (f"# {wording.phrase('The fields of a row')}", wording.phrase(OPENING), wording.phrase(WRITTEN_BY))
    return page(*parts, table(head, rows))


def _types(of_field: str | list[str]) -> list[str]:
    return [of_field] if isinstance(of_field, str) else of_field
