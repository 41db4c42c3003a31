"""tasks.yaml: what it may say (`models`, `fields`, `validators`), and how it is read, edited and published.

`file` reads the list and reports every mistake at once, `schema` holds the JSON Schema and the sample, `sections_csv`
reads tasks from a spreadsheet, `edit` adds tasks to the file, `periods` says when a task is due, `ages` how long
something is kept, `environment` expands variables, `publication` puts the list into Redis.
"""
