"""Bytes → text → tree → lines: the text of a page with its places, before any decision about it."""
