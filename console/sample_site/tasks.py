"""A tasks.yaml for the two sections of the sample site."""

from console.sample_site.content import truth

TASK_NAMES = {"zh": "zh-news", "en": "en-stories"}
PATTERNS = {"zh": "/zh/news/{date:%Y/%m%d}/{id}.html", "en": "/en/stories/{date:%Y/%m/%d}/{slug}/"}
STARTS = {"zh": "/zh/news/", "en": "/en/stories/"}
EXAMPLES = {section: truth(section)[3].path for section in TASK_NAMES}  # an ordinary article with paragraphs only


def tasks_yaml(base_url: str, out_dir: str = "out") -> str:
    """Return a complete tasks.yaml for the site at `base_url`; outputs are written to `out_dir`."""
    base = base_url.rstrip("/")
    tasks = "".join(_task(section, base, out_dir) for section in TASK_NAMES)
    return f"""\
settings:
  contact: https://example.org/our-crawler
  allow_hosts: [127.0.0.1]
  delay: 0
defaults:
  every: 1h
tasks:
{tasks}"""


def _task(section: str, base: str, out_dir: str) -> str:
    return f"""\
  {TASK_NAMES[section]}:
    example: {base}{EXAMPLES[section]}
    pattern: {base}{PATTERNS[section]}
    start: {base}{STARTS[section]}
    every: 1h
    output:
      - {out_dir}/{{task}}.jsonl
      - {out_dir}/articles.db
"""
