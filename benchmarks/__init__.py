"""Benchmarks of the costs of a crawl on this machine; a module with `main` is a command: `python -m benchmarks.start`."""
