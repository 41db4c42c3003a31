"""The console in a browser: server-rendered pages and a JSON API for the data of the commands (extra `console`).

    browser ─▶ security (host, origin, login, headers) ─▶ pages, api ─▶ data ─▶ Redis, tasks.yaml, article index

Titles, texts, URLs and reasons come from crawled sites: templates escape all of them, no page has inline script or
style, and the pages of sites are shown in a sandbox (`sandbox.py`).
"""
