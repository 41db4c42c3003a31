"""Discovery: which list pages of a section are read, and their links.

Input: lists in any form. Output: links to articles, and further lists.
"""
