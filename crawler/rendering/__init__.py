"""Pages in a real browser, by scrapy-playwright, behind the same guard as any fetch.

    chromium   which browser, and with what options; the settings for screenshots
    task       which pages of a task are rendered: what `render` says, or what the example shows
    handler    Scrapy's side: requests with `meta={"render": True}` go to the browser, all others as ever
    browsers   the browser's life: started late, renewed before it has grown, replaced when it dies
    visit      one page in it: its main document, what is blocked, when the article is there
    memory     what the browser's processes take

One request of Scrapy's is one main document. Wherever a page leads (redirect, meta refresh, scripts), the browser
does not go there: Scrapy gets a redirect and asks robots.txt, guard and pace as for any other. Nothing here is imported
or started by a run that renders nothing.
"""
