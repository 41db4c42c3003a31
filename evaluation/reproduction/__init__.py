"""The source methods, measured as in their sources: `python -m evaluation.reproduction` and its `bp_network`."""
