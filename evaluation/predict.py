"""The first step: every method and peer on every page, interleaved."""

import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial

from extractors import Section, UnusablePage
from extractors.html.decoding import decode

from .data import DataSet, Row
from .left_out import LeftOut
from .methods import Answer, Method, Pair, choose_foreign, choose_odd, choose_pairs, extraction
from .peers import Extract, Peer
from .perturb import page_of, perturbed
from .results import Prediction
from .timing import in_drawn_order, parse, settle

PARSE = "lxml.html"
KEPT_PAGES = 128  # pages of a set in memory, since pairs need them again


@dataclass(frozen=True, slots=True)
class Selection:
    """Settings that determine which pages and pairs are measured; 0: all."""

    sample: int = 300  # pairs of a set
    pages: int = 0  # single pages and lists of a set
    memory: int = 4  # pages learned in addition to the example
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Round:
    """The calls for one page. `calls` and `labels` (method, example, peer) have the same keys."""

    calls: dict[str, Callable[[], Answer]] = field(default_factory=dict)
    labels: dict[str, tuple[str, str | None, bool]] = field(default_factory=dict)

    def add(self, call: Callable[[], Answer], method: str, example: str | None = None, peer: bool = False) -> None:
        """Add a call."""
        key = f"{method} {example}"
        self.calls[key] = call
        self.labels[key] = method, example, peer


def predict(
    sets: Sequence[DataSet],
    everything: Sequence[DataSet],
    methods: Sequence[Method],
    peers: Sequence[Peer],
    perturbations: Sequence[str],
    settings: Selection,
    left_out: LeftOut | None = None,
) -> Iterator[tuple[DataSet, dict[str, list[Prediction]]]]:
    """Yield the predictions for `sets`, plain and perturbed, by method; other sites' examples are of `everything`.

    `left_out`: the models of methods whose training excludes the page's site or set.
    """
    loaded = {peer.name: peer.load() for peer in peers}
    settle()
    for plain in sets:
        for dataset in [plain, *(perturbed(plain, name) for name in perturbations if plain.articles())]:
            print(f"{dataset.name} …", file=sys.stderr, flush=True)
            run = _Run(dataset, plain, everything, methods, loaded, settings, left_out)
            run.all_pages()
            yield dataset, run.predictions


class _Run:
    """One set: the calls for each page, and their results by method or peer."""

    def __init__(
        self,
        dataset: DataSet,
        plain: DataSet,
        everything: Sequence[DataSet],
        methods: Sequence[Method],
        peers: Mapping[str, Extract],
        settings: Selection,
        left_out: LeftOut | None,
    ) -> None:
        self._left_out = left_out
        self._dataset, self._plain = dataset, plain
        self.predictions: dict[str, list[Prediction]] = {}
        self._alone, with_example, foreign, odd = (
            [method for method in methods if method.mode in modes]
            for modes in (("alone",), ("example", "memory"), ("foreign",), ("odd",))
        )
        self._peers = peers
        self._kept: dict[str, bytes | None] = {}
        memory = max((method.memory for method in methods), default=0)
        self._pages = _bounded(dataset.articles(), settings, dataset.name)
        self._lists = _bounded(dataset.lists(), settings, dataset.name) if "+" not in dataset.name else []
        pairs = choose_pairs(dataset, settings.sample, memory, settings.seed) if with_example else []
        self._paired = {pair.page.id for pair in pairs}
        strangers = choose_foreign(everything, self._pages, settings.seed) if foreign else []
        unfit = choose_odd(dataset, self._pages, settings.seed) if odd else []
        self._beside = [(with_example, _by_page(pairs)), (foreign, _by_page(strangers)), (odd, _by_page(unfit))]

    def all_pages(self) -> None:
        singles = {row.id for row in self._pages}
        for row in self._dataset.articles():
            if row.id in singles or row.id in self._paired:
                self._page(row, row.id in singles)
        for row in self._lists:
            html = row.html()
            round = Round()
            self._add_alone(round, row, html)
            self._measure(round, row, html)

    def _page(self, row: Row, single: bool) -> None:
        html = self._html(row)
        if html is None:
            return
        round = Round()
        if single:
            self._add_alone(round, row, html)
            text = decode(html)[0]
            for name, extract in self._peers.items():
                round.add(partial(_peer_answer, extract, text), name, peer=True)
        for methods, pairs in self._beside:
            for pair in pairs.get(row.id, []):
                for method in methods:
                    self._add_pair(round, method, pair, html)
        self._measure(round, row, html)

    def _add_alone(self, round: Round, row: Row, html: bytes) -> None:
        for method in self._alone:
            call = extraction(method.section(None), html, row)
            if method.left_out and self._left_out is not None:
                call = partial(_judged, self._left_out, self._dataset.name, row, method.left_out, call)
            round.add(call, method.name)

    def _add_pair(self, round: Round, method: Method, pair: Pair, html: bytes) -> None:
        pages = [self._other(row, method) for row in (pair.example, *pair.memory[: method.memory])]
        example, *memory = pages
        if example is None:
            return
        try:
            section = method.section(example, [page for page in memory if page is not None])
        except UnusablePage as error:
            if method.mode == "odd":  # as in a worker
                round.add(extraction(Section(None), html, pair.page), method.name, pair.example.id)
                return
            # The example cannot be used: the pair counts as a result without text.
            round.add(partial(Answer, none=f"unusable example: {error}"), method.name, pair.example.id)
            return
        round.add(extraction(section, html, pair.page), method.name, pair.example.id)

    def _other(self, row: Row, method: Method) -> bytes | None:
        return row.html() if method.mode in ("foreign", "odd") else self._html(row)

    def _html(self, row: Row) -> bytes | None:
        if row.id not in self._kept:
            if len(self._kept) >= KEPT_PAGES:
                self._kept.clear()
            self._kept[row.id] = page_of(self._dataset, row, self._plain)
        return self._kept[row.id]

    def _measure(self, round: Round, row: Row, html: bytes) -> None:
        calls: dict[str, Callable[[], Answer]] = {PARSE: partial(_parse, html)}
        calls |= {key: partial(_guarded, call) for key, call in round.calls.items()}
        results = in_drawn_order(calls, random.Random(row.id))
        parse_ms = results.pop(PARSE)[1]
        for key in round.calls:
            answer, ms = results[key]
            method, example, peer = round.labels[key]
            one = Prediction(**asdict(answer), id=row.id, ms=ms, parse_ms=parse_ms, peer=peer, example=example)
            self.predictions.setdefault(method, []).append(one)


def _guarded(call: Callable[[], Answer]) -> Answer:
    try:
        return call()
    except Exception as error:  # a crash is a result: it is counted, and the other methods continue
        return Answer(crash=f"{type(error).__name__}: {error}")


def _judged(models: LeftOut, set_name: str, row: Row, what: str, call: Callable[[], Answer]) -> Answer:
    with models.judging(set_name, row, what):
        return call()


def _peer_answer(extract: Extract, text: str) -> Answer:
    return Answer(extract(text))


def _parse(html: bytes) -> Answer:
    parse(html)
    return Answer()


def _bounded(rows: list[Row], settings: Selection, name: str) -> list[Row]:
    if not 0 < settings.pages < len(rows):
        return rows
    chosen = random.Random(f"{settings.seed} {name.partition('+')[0]}").sample(range(len(rows)), settings.pages)
    return [rows[index] for index in sorted(chosen)]


def _by_page(pairs: Sequence[Pair]) -> dict[str, list[Pair]]:
    found: dict[str, list[Pair]] = {}
    for pair in pairs:
        found.setdefault(pair.page.id, []).append(pair)
    return found
