"""The history checker: a real cluster under faults, and the proof of what its outputs hold. See `__main__`."""
