"""A crawl of Scrapy as far as a gate knows it."""

from types import SimpleNamespace

from crawler.gates.context import FetchContext, GatedSpider


def crawl(context: FetchContext) -> SimpleNamespace:
    return SimpleNamespace(spider=GatedSpider(context, name="test"))
