"""The name by which this program crawls: the User-Agent, and the contact for site owners."""

import os
from functools import cache
from importlib.metadata import version

from crawler.task_list.models import Settings

CONTACT = "EXEMPLAR_CONTACT"
_version = cache(version)  # it is read from the file of the installed package, and each run has it


def identity_of(settings: Settings) -> dict[str, str]:
    """Return the Scrapy settings with the crawler's name."""
    return {"USER_AGENT": user_agent(settings), "ROBOTSTXT_USER_AGENT": settings.product}


def user_agent(settings: Settings) -> str:
    """Return the User-Agent header: product, version and contact."""
    product = (
        settings.user_agent if "/" in settings.user_agent else f"{settings.user_agent}/{_version('exemplar-crawler')}"
    )
    contact = contact_of(settings)
    return f"{product} (+{contact})" if contact else product


def contact_of(settings: Settings) -> str:
    """Return the contact of tasks.yaml or of the environment; empty if there is none."""
    return settings.contact or os.environ.get(CONTACT, "")
