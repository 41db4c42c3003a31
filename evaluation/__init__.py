"""Measuring: what the system finds, cuts and costs on real pages. The outermost room; reads data, never holds any."""
