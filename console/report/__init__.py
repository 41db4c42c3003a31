"""`--report` and `--explain`: extractions with the reasons for each decision, as one HTML page or in the terminal.

The reasons come from `extractors.explanation`. `gathering` adds the answers of the other methods and the curves;
`charts` converts them to the form of the page, and `document` writes it.
"""
