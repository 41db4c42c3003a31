"""Which pages of a section to read, and what they say: lists in all their forms, in; links, in an order, out."""
