"""From lines to an article: the choice of the body's lines, and their conversion to blocks."""
