"""Method `density`: one page alone, without an example."""
