"""The prepared parts of a task that a worker keeps: example and recent pages as a `Section`, and open sinks."""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import redis

from extractors import Section, UnusablePage
from extractors.html.decoding import decode

from ..errors import OutputError
from ..extraction_config import ExtractionConfig, begin_example, end_example, request_example
from ..page_store import StoredPage
from ..pages.kept_pages import KEPT_PAGES, kept_pages_of
from ..redis_access.redis_clock import clock_of
from ..reporting.worker_reports import Watch, WorkerTimes
from ..sinks import OutputOptions, PageSink, Sink, is_queued, open_sink, wants_html
from ..writing.outputs import Output, options_of
from ..writing.row_queue import QueuedOutput
from .recent_pages import (
    Candidates,
    RecentPage,
    SectionPages,
    begin_recent,
    drop_recent,
    end_recent,
    section_pages,
    section_version,
)

MOST_BEGINS = 20  # times in a row that workers may begin to prepare an example or a recent page without finishing
SECTIONS_KEPT = 100  # prepared sections a worker keeps, 0.1 to 1.4 MB each

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PreparedSection:
    """The prepared parts of a task.

    They are kept as long as its extraction config, example and recent pages do not change.

    `version`: the section version; None without an example. `example_only`: the section without recent pages, for
    rechecks; the same object as `section` in tasks without any. `html`: whether an output shows articles as HTML.
    `comments`: whether one has the comments of readers; `pictures`: whether one shows kept pictures.
    """

    config: ExtractionConfig
    version: str | None
    section: Section
    example_only: Section
    outputs: tuple[Output, ...] = ()  # its file outputs
    queued: tuple[QueuedOutput, ...] = ()
    candidates: Candidates | None = None
    html: bool = False
    comments: bool = False
    pictures: bool = False

    @property
    def kept_pages(self) -> Output | None:
        """Return where the task's pages are kept; None if they are not."""
        return next((output for output in self.outputs if output.name == KEPT_PAGES), None)

    def close(self) -> None:
        """Close the sinks."""
        for output in self.outputs:
            output.sink.close()


class SectionPreparation:
    """The prepared sections of one worker, by task."""

    def __init__(self, connection: "redis.Redis", watch: Watch, *, times: WorkerTimes | None = None):
        self.redis = connection
        self.watch = watch
        self.times = times or WorkerTimes()
        self.clock = clock_of(connection).now
        self._prepared: dict[str, PreparedSection] = {}

    def prepare(self, config: ExtractionConfig) -> PreparedSection:
        """Return the task's section, prepared again if config, example or recent pages have changed.

        Raises `OutputError` if an output is invalid or the example crashes every worker, `ValueError` if a stored page
        is damaged.
        """
        version = section_version(self.redis, config.task)
        prepared = self._prepared.get(config.task)
        if prepared and prepared.version == version and prepared.config == config:
            return prepared
        outputs = prepared.outputs if prepared and prepared.config == config else None
        if prepared and outputs is None:
            prepared.close()
        outputs = self._open(config) if outputs is None else outputs
        pages, section = self._voters(config)
        candidates = Candidates(self.redis, config.task, section, pages) if pages else None
        is_compared = config.revisit or config.keep_pages is not None
        example_only = self._section(pages.example, config) if pages and pages.recent and is_compared else section
        while len(self._prepared) >= SECTIONS_KEPT:
            self._prepared.pop(next(iter(self._prepared))).close()
        version = pages.version if pages else None
        html = any(wants_html(name, config.task, options) for name, options in _options(config).items())
        comments = any(options.wants_comments for options in _options(config).values())
        pictures = any(options.pictures for options in _options(config).values())
        queued = tuple(QueuedOutput(*named) for named in _options(config).items() if is_queued(named[0], config.task))
        self._prepared[config.task] = PreparedSection(
            config, version, section, example_only, outputs, queued, candidates, html, comments, pictures
        )
        return self._prepared[config.task]

    def _open(self, config: ExtractionConfig) -> tuple[Output, ...]:
        """Return the file outputs, each once; those that store pages first.

        A page is stored before its rows are written.
        """
        pause, patience = self.times.sink_pause, self.times.output_patience
        sinks: dict[str, tuple[Sink | PageSink, OutputOptions | None]] = {}
        if config.keep_pages is not None:
            sinks[KEPT_PAGES] = kept_pages_of(config, clock=self.clock), None
        for name, options in _options(config).items():
            if not is_queued(name, config.task):
                sink = open_sink(name, config.task, Path(config.folder), options)
                sinks[name] = cast(Sink | PageSink, sink), options
        outputs = [
            Output(name, sink, pause=pause, patience=patience, clock=self.clock, options=options)
            for name, (sink, options) in sinks.items()
        ]
        return tuple(sorted(outputs, key=lambda output: not output.takes_pages))

    def close(self) -> None:
        """Close all sinks."""
        for prepared in self._prepared.values():
            prepared.close()
        self._prepared.clear()

    def _voters(self, config: ExtractionConfig) -> tuple[SectionPages | None, Section]:
        """Prepare the example and all recent pages of one version; drop recent pages that cannot be prepared."""
        while True:
            try:
                pages = section_pages(self.redis, config.task)
            except ValueError:
                request_example(self.redis, config.task)
                raise
            section = self._section(pages.example if pages else None, config)
            if pages is None:
                return None, section
            bad = next((page for page in pages.recent if not self._learn(section, config.task, page, pages)), None)
            if bad is None:
                return pages, section
            log.error("task %s: recent page %s cannot be prepared; it is dropped", config.task, bad.url)
            drop_recent(self.redis, config.task, pages, bad)

    def _learn(self, section: Section, task: str, page: RecentPage, pages: SectionPages) -> bool:
        """Let a recent page vote on later ones. False if this is impossible, or crashes or times out every worker."""
        if begin_recent(self.redis, task, page) > MOST_BEGINS:
            return False
        try:
            with self.watch.during(task, page.name, self.times.page_deadline):
                section.learn(page.body(pages.example), page.url, content_type=page.content_type, former=page.former)
        except MemoryError:
            raise
        except Exception:
            log.exception("recent page %s of task %s", page.url, task)
            return False
        end_recent(self.redis, task, page)
        return True

    def _section(self, example: StoredPage | None, config: ExtractionConfig) -> Section:
        if example is None:
            return _without_example(config)
        if begin_example(self.redis, config.task) > MOST_BEGINS:
            raise OutputError(
                f"task {config.task}: its example {example.url} crashes every worker, or takes too long; "
                "choose another example"
            )
        section = None
        try:
            with self.watch.during(config.task, "example", self.times.page_deadline):
                section = Section(decode(example.body, example.content_type)[0], example.url, method=config.method)
                _ = section.example_article  # read here, where a page that crashes a worker is noticed
        except UnusablePage as error:
            log.error("task %s: unusable example: %s; pages are extracted without it", config.task, error)
        except MemoryError:
            raise  # another worker may have the memory; without the example, this one would write other rows
        except Exception:  # a defect of the extractor must not stop the whole task
            log.exception("task %s: its example cannot be prepared; pages are extracted without it", config.task)
        end_example(self.redis, config.task)
        return section or _without_example(config)


def _options(config: ExtractionConfig) -> dict[str, OutputOptions]:
    """Return the options of each output of a task."""
    return {name: options_of(config, name) for name in config.outputs}


def _without_example(config: ExtractionConfig) -> Section:
    """Return a section that uses the task's method alone, or `density` if that method needs an example."""
    try:
        return Section(None, method=config.method)
    except ValueError:
        return Section(None, method="density")
