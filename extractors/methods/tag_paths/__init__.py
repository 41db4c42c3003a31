"""Methods `tag-paths` and `tag-paths-verbatim` (source 002): leaves clustered by their tag paths.

tagless text → leaves and their clusters   `clusters`
clusters → the body's segment              `segment`
segment → body                             `extractor`, `verbatim`
"""
