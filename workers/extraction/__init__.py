"""What becomes of a fetched page: the prepared example, the decision on the page, the rows that it gives."""
