"""Benchmarks of the costs of a crawl on this machine: modules with a `main` are commands (`python -m benchmarks.schedule`)."""
