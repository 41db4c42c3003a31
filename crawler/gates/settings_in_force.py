"""The settings of a crawler: this program's, in force under those that a person added to them.

    Scrapy's defaults < crawler.settings < a settings module (`SCRAPY_SETTINGS_MODULE`), `scrapy crawl -s`
                                          < `settings.scrapy` of tasks.yaml < what the task says

This holds in whatever way a spider is started. Which settings are refused: `crawler.task_list.scrapy_settings`.
"""

import copy
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, Settings
from scrapy.utils.misc import load_object

from crawler import settings as own
from crawler.task_list.scrapy_settings import COMPONENTS, mapped, refusal
from crawler.task_list.validators import expand
from workers.addresses import VARIABLE
from workers.errors import ExemplarError
from workers.redaction import remember

OWN = {name: value for name, value in vars(own).items() if name.isupper() and not name.startswith("_")}
GIVEN = SETTINGS_PRIORITIES["project"]  # the least priority of a person's settings


SHARED = (str, int, float, bool, type(None))  # types of values that no one can change


class _CopiedOnWrite(BaseSettings):
    """Settings whose copies share each setting until one of them sets it; values that can be changed are copied.

    Scrapy copies settings by `copy.deepcopy`, which takes 3 ms: much of the CPU time of a run that finds nothing new.
    """

    def set(self, name: str, value: Any, priority: int | str = "project") -> None:
        """As in Scrapy."""
        if name in self.attributes:
            self.attributes[name] = copy.copy(self.attributes[name])
        super().set(name, value, priority)

    def copy(self) -> Self:
        """Return a copy; changes of it do not change these settings."""
        copied = copy.copy(self)
        copied.attributes = self.attributes.copy()
        for name, attribute in self.attributes.items():
            if type(attribute.value) not in SHARED:
                copied.attributes[name] = copy.copy(attribute)
                copied.attributes[name].value = _copy_of(attribute.value)
        return copied


class ProcessSettings(_CopiedOnWrite, Settings):
    """Settings of a process, of which each crawler takes a copy; they are put in force once, by its starter."""


def _copy_of(value: Any) -> Any:
    if isinstance(value, _CopiedOnWrite):
        return value.copy()
    copied = copy.deepcopy(value)
    return _CopiedOnWrite(copied) if type(value) is BaseSettings and not value.frozen else copied


def put_in_force(settings: BaseSettings) -> None:
    """Complete a person's settings with this program's. Raises `ExemplarError` for one that is refused."""
    for name in settings:
        if (settings.getpriority(name) or 0) >= GIVEN:
            _check(name, settings[name])
    for name, value in OWN.items():
        priority = settings.getpriority(name) or 0
        if name in COMPONENTS:
            ours_and_theirs = {**value, **settings.getdict(name)}  # above theirs, which `scrapy crawl` sets once more
            settings.set(name, ours_and_theirs, priority=max(priority, GIVEN) + 1)
        elif priority < GIVEN:
            settings.set(name, value, priority=GIVEN)
    cache = Path(".scrapy", settings["HTTPCACHE_DIR"]).absolute()  # Scrapy finds it only beside a scrapy.cfg
    settings.set("HTTPCACHE_DIR", str(cache), priority=max(settings.getpriority("HTTPCACHE_DIR") or 0, GIVEN))


def add_settings(settings: BaseSettings, values: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> None:
    """Add settings of a task list, variables expanded. Raises `TaskError` for a variable that is not set."""

    def expanded(text: str) -> str:
        remember(*(expand(match[0], environ) for match in VARIABLE.finditer(text)))
        return expand(text, environ)

    for name, value in values.items():
        value = mapped(value, expanded)
        both = {**settings.getdict(name), **value} if name in COMPONENTS else value
        settings.set(name, both, priority="spider")


def check_components(settings: BaseSettings) -> None:
    """Raise `ExemplarError` for a middleware or extension that cannot be imported here."""
    for name in COMPONENTS:
        for component in settings.getdict(name):
            try:
                load_object(component)
            except (ImportError, NameError, ValueError) as error:
                raise ExemplarError(
                    f"{name} of Scrapy: {component}: {error}; "
                    "install its package here, or name its folder in PYTHONPATH"
                ) from None


def _check(name: str, value: Any) -> None:
    before = OWN.get(name)
    if name in COMPONENTS:
        known = before or {}
        value = {each: place for each, place in dict(value).items() if (each, place) not in known.items()}
    elif value == before or (isinstance(value, BaseSettings) and dict(value) == before):
        return
    if why := refusal(name, value):
        raise ExemplarError(f"the setting {name} of Scrapy cannot be changed: {why}")
