"""The guard: allowed addresses, the cost of a response, the destinations of secrets. Its gates: `crawler.gates`."""
