"""tasks.yaml: its keys and values (`models`, `fields`, `validators`), and how it is read, edited and published.

`file` reads the list and reports every mistake at once, `schema` has the JSON Schema and the sample, `sections_csv`
reads tasks from a spreadsheet, `edit` adds tasks to the file, `periods` computes when a task is due and parses the
lengths of time of `forget` and `revisit`, `validators` expands variables, `publication` writes the list to Redis.
"""
