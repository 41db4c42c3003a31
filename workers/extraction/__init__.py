"""From a fetched page to rows: the prepared example, the decision on the page, the claims and the writing."""
