"""Measurements of discovery, extraction and cost on real pages. The outermost package; it contains no page data."""
