"""What a person touches: the command line. The outermost room; nothing imports it."""
