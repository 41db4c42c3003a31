"""Benchmarks of the costs of a crawl here; a module with `main` is a command: `python -m benchmarks.start`."""
