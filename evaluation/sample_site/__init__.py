"""A small news site with its truth: a Chinese section in GBK and an English one in UTF-8, in two designs.

Tests, benchmarks and pictures of the documents use it; the demo serves a recording (`console.sample_site`).
"""

from console.sample_site import Response, SiteServer, tasks_yaml
from workers.redesign.backtest import shingle_f1

from .content import EXAMPLES, PATTERNS, SECTIONS, STARTS, TASK_NAMES, Story, truth
from .site_pages import (
    DEAD_LINKS,
    DESIGNS,
    ENCODINGS,
    IMAGE,
    LIST_PATHS,
    PRIVATE,
    TOPIC_PATHS,
    render_site,
)

__all__ = [
    "DEAD_LINKS",
    "DESIGNS",
    "ENCODINGS",
    "EXAMPLES",
    "IMAGE",
    "LIST_PATHS",
    "PATTERNS",
    "PRIVATE",
    "SECTIONS",
    "STARTS",
    "TASK_NAMES",
    "TOPIC_PATHS",
    "Response",
    "SiteServer",
    "Story",
    "render_site",
    "shingle_f1",
    "tasks_yaml",
    "truth",
]
