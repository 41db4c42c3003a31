"""Methods `example` and `example-verbatim` (source 004): the body is what a page does not share with its example."""
