"""Methods `list-rank` and `list-rank-verbatim` (source 003): the list of a section page by class rank.

tree → its links and widths       `linked_tree`
tree → ids of like elements, and
their elements as entries         `like_elements`
ids → the list                    `extractor`, `verbatim`
"""
