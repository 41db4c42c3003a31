"""A section after a redesign: low scorers, proposals of a new example, back-tests, adoption, the gap."""
