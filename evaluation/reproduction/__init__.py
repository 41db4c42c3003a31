"""The source methods by their sources' own measures: `python -m evaluation.reproduction` and its `bp_network`."""
