"""Benchmarks of the costs of a crawl on this machine; modules with `main` are commands: `python -m benchmarks.vote`."""
