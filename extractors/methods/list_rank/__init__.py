"""Methods `list-rank` and `list-rank-verbatim` (source 003): the list of a section page by class rank.

tree → its links and widths       `linked_tree`
tree → ids of like elements       `like_elements`
like elements → entries           `list_items`
ids → the list                    `extractor`, `verbatim`
"""
