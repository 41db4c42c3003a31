"""A section after a redesign: pages off the template, proposals of a new example, back-tests, adoption, the gap."""
