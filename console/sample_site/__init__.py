"""A small news site for demo and tests, with its truth: a Chinese section in GBK and an English one in UTF-8."""

from console.sample_site.content import PATTERNS, SECTIONS, Story, tasks_yaml, truth
from console.sample_site.site_pages import DEAD_LINKS, DESIGNS, LIST_PATHS, Response, render_site
from console.sample_site.site_server import SiteServer
from workers.redesign.backtest import shingle_f1

__all__ = [
    "DEAD_LINKS",
    "DESIGNS",
    "LIST_PATHS",
    "PATTERNS",
    "SECTIONS",
    "Response",
    "SiteServer",
    "Story",
    "render_site",
    "shingle_f1",
    "tasks_yaml",
    "truth",
]
