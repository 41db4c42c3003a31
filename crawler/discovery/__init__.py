"""Which list pages of a section to read, and their links: lists in all forms in; articles and further lists out."""
