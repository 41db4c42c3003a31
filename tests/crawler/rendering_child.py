"""`python -m tests.crawler.rendering_child JSON`: renders URLs as a task's pages are, in a process of its own.

The JSON: `urls`, `allow` (hosts), `settings`, `headers`, `constants` ({"module.NAME": value}), `at_once`, `proxy`,
`seconds` ({URL: until it must have loaded}; 60 for all others) and `context` ({option of its browser contexts: another
value, or null for none}). Prints a line of JSON a page. Names are those of `tests.crawler.network`.
"""

import importlib
import json
import logging
import os
import sys

from tests.crawler.network import install


def main(said):
    install()
    os.environ["SCRAPY_SETTINGS_MODULE"] = "crawler.settings"
    import scrapy
    from scrapy.crawler import CrawlerProcess
    from scrapy.utils.project import get_project_settings

    from crawler.gates.context import FetchContext, GatedSpider
    from crawler.gates.errors import outcome_of_failure
    from crawler.guarding.guard import Guard
    from crawler.rendering import browsers
    from crawler.rendering.handler import rendering_settings
    from crawler.run.outcomes import of_answer

    for name, value in said.get("constants", {}).items():
        module, _, constant = name.partition(".")
        setattr(importlib.import_module(f"crawler.rendering.{module}"), constant, value)

    class ChangedBrowser(browsers.Browser):
        def __init__(self, *args):
            super().__init__(*args)
            self._options.update(said.get("context", {}))
            for option in [option for option, value in self._options.items() if value is None]:
                del self._options[option]

    browsers.Browser = ChangedBrowser

    class Spider(GatedSpider):
        name = "rendering"

        async def start(self):
            self.left = list(said["urls"])
            for _ in range(min(said.get("at_once", 4), len(self.left))):
                yield self.request()

        def request(self):
            url = self.left.pop(0)
            seconds = said.get("seconds", {}).get(url, 60.0)
            meta = {"render": True, "download_timeout": seconds, "asked": url}
            return scrapy.Request(
                url, self.came, errback=self.failed, headers=said.get("headers"), meta=meta, dont_filter=True
            )

        def came(self, response):
            kind = (response.headers.get("Content-Type") or b"").decode()
            verdict = of_answer(response.status, kind, response.body)
            text = response.body.decode("utf-8", "replace")[:5000]
            return self.say(response.meta["asked"], response.url, verdict, text)

        def failed(self, failure):
            return self.say(failure.request.meta["asked"], failure.request.url, outcome_of_failure(failure.value), "")

        def say(self, asked, url, verdict, text):
            found = {"asked": asked, "url": url, "kind": verdict.kind, "reason": verdict.reason, "text": text}
            print(json.dumps(found), flush=True)
            if self.left:
                yield self.request()

    def report_browser(reason):
        print(json.dumps({"asked": "browser", "reason": reason}), flush=True)

    context = FetchContext(
        guard=Guard(said["allow"]),
        contact="a@example.org",
        proxy=said.get("proxy", ""),
        on_browser_missing=report_browser,
    )
    settings = get_project_settings()
    settings.setdict({"LOG_LEVEL": "ERROR"}, priority="cmdline")
    process = CrawlerProcess(settings)
    logging.getLogger("scrapy").setLevel(logging.ERROR)
    crawler = process.create_crawler(Spider)
    of_browser = rendering_settings(crawler.settings) | said.get("settings", {})
    crawler.settings.setdict(of_browser, priority="spider")
    process.crawl(crawler, context)
    process.start()
    started = sum(each.started for each in context.browsers.values())
    print(json.dumps({"asked": "started", "reason": started}), flush=True)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
