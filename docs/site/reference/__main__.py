"""`python -m docs.site.reference` writes the generated pages again."""

from docs.site.reference import write_pages

write_pages()
