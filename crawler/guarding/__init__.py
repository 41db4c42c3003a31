"""The guard and its gates: allowed addresses, limits of responses, the destinations of secrets."""
