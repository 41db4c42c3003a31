"""Draws figures from their data with matplotlib: one module for each method or family. Each has `draw(sheet, data)`."""
