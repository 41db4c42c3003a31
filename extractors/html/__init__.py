"""Bytes → text → tree → lines: what a page says and where it stands, before anything is decided about it."""
