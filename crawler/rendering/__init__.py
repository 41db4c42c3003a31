"""Rendering in a real browser, with the same guard as any fetch.

    chromium   the browser and its options
    handler    Scrapy's side: scrapy-playwright loads requests with `meta={"render": True}` in the browser
    browsers   the life cycle of the browser: started when needed, replaced when it has grown or died
    visit      one page in the browser: its main document, blocked requests, the end of loading

Which pages of a task are rendered is decided by `crawler.run.rendering_choice`.

One request of Scrapy is one main document. If a page redirects or navigates (meta refresh, scripts), the browser does
not load the target: Scrapy gets a redirect, which passes robots.txt, guard and pace like any other request. A run
that renders nothing starts no browser.
"""
