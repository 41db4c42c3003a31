"""The classifier `visual`: article or list, from a page's screenshot. Off by default; see docs/methods-visual.md."""
