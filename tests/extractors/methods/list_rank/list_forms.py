# ruff: noqa: E501 - texts of one line
"""The stories of the hand-made list pages, and the forms in `list_forms.html` that are filled with them."""

import re
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined


class Story(NamedTuple):
    """A story as the forms use it. `word`: one that differs by entry."""

    n: int
    title: str
    text: str

    @property
    def url(self):
        return f"/2026/03/story-{self.n}.html"

    @property
    def day(self):
        return f"2026-03-{self.n + 10:02}"

    @property
    def word(self):
        return f"k{self.n * 7919 % 9973}x"


STORIES = [
    Story(0, "Tide station opens at the old pier", "The harbour office opened its new tide station on Monday after two years."),
    Story(1, "Bread from old stones", "A bakery in the old town has begun to bake with flour from a mill of its own."),
    Story(2, "Books on the road again", "The travelling library will stop in four more villages from the first of the month."),
    Story(3, "A chimney for the bakery", "A second oven is to follow in spring, if the council allows the chimney."),
    Story(4, "Ferry sails an hour later", "From Thursday the last ferry leaves at nine, as fishermen and cooks had asked."),
    Story(5, "Swimming bath closes for repairs", "Tiles have come loose in the basin, and the boiler is older than the house."),
    Story(6, "Choir looks for basses", "Whoever can hold a low note is asked to come to the school on Tuesday evening."),
]  # fmt: skip
ENVIRONMENT = Environment(
    loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined, trim_blocks=True, autoescape=False
)
MODULE = ENVIRONMENT.get_template("list_forms.html").make_module({"stories": STORIES})
IN_CHINESE = ("dedecms", "gbk_news")  # with other titles than the stories
NO_FORMS = ("page", "links", "days_in_numbers", *IN_CHINESE)
FORMS = [name for name in sorted(vars(MODULE)) if not name.startswith("_") and name not in NO_FORMS]
UNDATED = ("images", "letters", "flat")  # forms whose entries show no date


def page(form, chrome="div"):
    """Return a page with the list in a form amid what most pages have; `chrome`: which elements hold that."""
    return re.sub(r"\n *", "", MODULE.page(getattr(MODULE, form)(), chrome))
