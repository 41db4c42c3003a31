"""Methods `line-blocks` and `line-blocks-verbatim` (source 001): the line-block distribution function."""
