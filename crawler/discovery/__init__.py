"""Which list pages of a section to read, and their links. Input: lists in any form.

Output: articles and further lists.
"""
