"""Which lines are the body, and how they become the blocks of an article."""
