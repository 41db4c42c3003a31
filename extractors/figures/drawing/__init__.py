"""Figures from their data, drawn with matplotlib: one module a method or family, each with `draw`: sheet, data."""
