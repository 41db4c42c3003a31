"""Hand-made pages of threads in the forms of well-known engines, each with what surrounds posts there.

thread_pages/ has a template for each. `mumbling` is a board without links to users and with generated names of classes:
the name stands as text beside the time. `flarum` is a board whose page without scripts shows no times. In `weibo` the
text begins with the name; `gitea` has events among the posts. The posts of `FLAT` have no element of their own. An
article is `commented`; `answers` and `questions` have comments below answers; `teasers` and a `forum` have no posts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

FOLDER = Path(__file__).with_name("thread_pages")
TEMPLATES = Environment(loader=FileSystemLoader(FOLDER), undefined=StrictUndefined, trim_blocks=True)


@dataclass(frozen=True)
class Said:
    """A post as it was written."""

    author: str
    time: datetime
    text: str


AT = partial(datetime, 2025, 11, tzinfo=UTC)
THREAD = [
    Said("Ann Reed", AT(14, 8, 5), "Does anybody know when the tide station opens again? It was shut in May."),
    Said("old_mason", AT(14, 9, 30), "On Monday, they say."),
    Said("Bob", AT(15, 7, 0), "I was there yesterday: the new gauge hangs beside the pier, and the doors are painted."),
    Said("海边小王", AT(16, 12, 45), "新的验潮站星期一开放，欢迎大家参观。"),
    Said("Ann Reed", AT(16, 13, 1), "Thanks!"),
    Said("gull77", AT(17, 6, 10), "Bring a coat, the wind is fierce out there and the walk is long."),
]
TITLE = "When does the tide station open?"


def _engine(name: str) -> Callable[..., str]:
    """Return the engine's way to make a page of a thread."""
    return lambda thread, **more: TEMPLATES.get_template(f"{name}.html").render(thread=thread, title=TITLE, **more)


NAMES = "discuz phpbb vbulletin xenforo discourse stack_exchange hacker_news reddit tieba smf nodebb"
ENGINES = {name: _engine(name) for name in NAMES.split()}
discuz, phpbb, vbulletin, xenforo, discourse, stack_exchange, _, _, tieba, smf, _ = ENGINES.values()
fluxbb, mumbling, flarum, gitea, weibo = map(_engine, ("fluxbb", "mumbling", "flarum", "gitea", "weibo"))
commented, answers, questions, teasers, forum = map(_engine, ("commented", "answers", "questions", "teasers", "forum"))
FLAT = {name: _engine(name) for name in ("archive", "rows")}
