"""Benchmarks of the costs of a crawl on this machine: each module is a command (`python -m benchmarks.schedule`)."""
