"""`python -m tests.crawler.rendering_child JSON`: renders URLs as a task's pages are, in a process of its own.

The JSON: `urls`, `allow` (hosts), `settings`, `headers`, `constants` ({"module.NAME": value}), `at_once`, `proxy`, and
`lookups` ({name: [its addresses, one a lookup; the last stays]}). Prints a line of JSON a page.
"""

import importlib
import json
import logging
import os
import socket
import sys


def look_up_by(lookups):
    real, left = socket.getaddrinfo, {name: list(answers) for name, answers in lookups.items()}

    def look_up(host, *args, **kwargs):
        if host in left:
            host = left[host].pop(0) if len(left[host]) > 1 else left[host][0]
        return real(host, *args, **kwargs)

    socket.getaddrinfo = look_up


def main(said):
    look_up_by(said.get("lookups", {}))
    os.environ["SCRAPY_SETTINGS_MODULE"] = "crawler.settings"
    import scrapy
    from scrapy.crawler import CrawlerProcess
    from scrapy.utils.project import get_project_settings

    from crawler.guarding.guard import Guard
    from crawler.guarding.resolver import use_guard
    from crawler.rendering import browsers
    from crawler.rendering.handler import rendering_settings
    from crawler.run.outcomes import of_answer, of_failure

    for name, value in said.get("constants", {}).items():
        module, _, constant = name.partition(".")
        setattr(importlib.import_module(f"crawler.rendering.{module}"), constant, value)
    use_guard(Guard(said["allow"]))

    class Spider(scrapy.Spider):
        name = "rendering"
        proxy = said.get("proxy", "")

        async def start(self):
            self.left = list(said["urls"])
            for _ in range(min(said.get("at_once", 4), len(self.left))):
                yield self.request()

        def request(self):
            url = self.left.pop(0)
            meta = {"render": True, "download_timeout": 5.0, "asked": url}
            return scrapy.Request(
                url, self.came, errback=self.failed, headers=said.get("headers"), meta=meta, dont_filter=True
            )

        def came(self, response):
            kind = (response.headers.get("Content-Type") or b"").decode()
            verdict = of_answer(response.status, kind, response.body)
            text = response.body.decode("utf-8", "replace")[:5000]
            return self.say(response.meta["asked"], response.url, verdict, text)

        def failed(self, failure):
            return self.say(failure.request.meta["asked"], failure.request.url, of_failure(failure.value), "")

        def say(self, asked, url, verdict, text):
            found = {"asked": asked, "url": url, "kind": verdict.kind, "reason": verdict.reason, "text": text}
            print(json.dumps(found), flush=True)
            if self.left:
                yield self.request()

        def without_browser(self, trouble):
            print(json.dumps({"asked": "browser", "reason": trouble}), flush=True)

        def is_ending(self):
            return False

    settings = get_project_settings()
    settings.setdict({"EXEMPLAR_CONTACT": "a@example.org", "LOG_LEVEL": "ERROR"}, priority="cmdline")
    settings.setdict(rendering_settings(settings) | said.get("settings", {}), priority="cmdline")
    process = CrawlerProcess(settings)
    logging.getLogger("scrapy").setLevel(logging.ERROR)
    crawler = process.create_crawler(Spider)
    process.crawl(crawler)
    process.start()
    started = crawler.exemplar_browsers.started if isinstance(crawler.exemplar_browsers, browsers.Browsers) else 0
    print(json.dumps({"asked": "started", "reason": started}), flush=True)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
