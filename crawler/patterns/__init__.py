"""URL patterns: what a task may write, what it matches, and which URLs it can write out by itself."""
