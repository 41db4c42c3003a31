"""The documentation site: `python -m docs.site FOLDER` builds it from the pages of docs/, in English and Chinese.

`contents` lists the pages, `staging` copies them to where Sphinx reads them, `conf` configures Sphinx, `reference`
writes the generated pages, `pictures` takes the pictures.
"""
