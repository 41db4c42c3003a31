"""Methods `tag-paths` and `tag-paths-verbatim` (source 002): leaves clustered by their tag paths.

tagless text → leaves, their clusters, the body's segment   `clusters`
segment → body                                              `extractor`, `verbatim`
"""
