"""Pages that are kept: failed pages with their reason, fetched pages for a later extraction."""
