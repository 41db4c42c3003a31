"""Pages in a real browser, by scrapy-playwright, behind the same guard as any fetch.

    chromium   which browser, and with what options; the settings for screenshots
    task       which pages of a task are rendered: by `render`, or by the example
    handler    Scrapy's side: requests with `meta={"render": True}` go to the browser
    browsers   the life cycle of the browser: started when needed, replaced when it has grown or died
    visit      one page in it: its main document, what is blocked, when the article is loaded
    memory     memory of the browser's processes

One request of Scrapy's is one main document. Where a page redirects or navigates (meta refresh, scripts), the browser
does not load the target: Scrapy gets a redirect, which passes robots.txt, guard and pace like any other request. A run
that renders nothing neither imports nor starts any of this.
"""
