"""Methods `article-deviation` and `article-deviation-verbatim` (source 003): the deviation of text lengths."""
