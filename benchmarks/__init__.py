"""What the crawl costs, measured on this machine: each module is a command, `python -m benchmarks.schedule`."""
