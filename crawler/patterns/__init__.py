"""URL patterns: their syntax, which URLs they match, and which URLs they generate."""
