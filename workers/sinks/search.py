"""OpenSearch and Elasticsearch: each row is a document, whose id is the hash of its row key.

    opensearch+https://user:${PASSWORD}@host:9200/news-{task}
    elasticsearch+https://host:9200/news-{date:%Y.%m}?api_key=${KEY}&ca=ca.pem&analyzer=cjk

Rows are written by `_bulk` with action `index`, so a row that is delivered again replaces itself. The server answers
when the rows are in its transaction log. A missing index is created with the mapping `MAPPING`; missing fields are
added to an existing one. Other fields are stored and not indexed (`dynamic: false`), so no row is refused for a new
field.

With `{date}` or `{date:FORMAT}` a row goes into the index of its `fetched_at`. A row that may already be written
with another `fetched_at` is looked up in all indices of the name, and replaced in its index.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, NoReturn
from urllib.parse import quote, unquote

from workers.errors import OutputError, RowsRefused
from workers.rows import KEY, Row, RowKey, key_of

from .batch_parts import in_parts
from .formats import as_json
from .http_client import HttpAnswer, HttpClient, HttpLimits
from .interface import RowBatch
from .kinds import Target
from .row_schema import FIELDS, type_of
from .webhook import row_id

OPTIONS = ("api_key", "ca", "analyzer")
MOST_REQUEST = 8_000_000  # bytes of a request, unless a single row is larger; small clusters refuse 10 MB
MOST_ANSWER = 64_000_000  # bytes of an answer
LONGEST_KEYWORD = 8191  # characters; Lucene refuses terms of more than 32,766 bytes
_OF_ITEMS = "filter_path=error,items.*._id,items.*.status,items.*.error.type,items.*.error.reason"
_OF_HITS = "filter_path=error,hits.hits._id,hits.hits._index"
_DATE = re.compile(r"\{date(?::([^{}]*))?\}")
_INVALID_NAME = re.compile(r"^[-_+.]|[\\/*?\"<>| ,#:\x00-\x1f]|[A-Z]")
_KEYWORD: Mapping[str, Any] = {"type": "keyword", "ignore_above": LONGEST_KEYWORD}
_TYPES: Mapping[str, Mapping[str, Any]] = {  # by the type of a field's values; any other is a keyword
    "time": {"type": "date"},
    "number": {"type": "float"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
}
MAPPING: Mapping[str, Mapping[str, Any]] = {  # by the row's field; texts get the analyzer of the address
    **{field: _TYPES.get(type_of(field), _KEYWORD) for field in FIELDS},
    **{field: {"type": "text"} for field in ("title", "text", "description")},
    **{field: {"type": "date"} for field in ("published", "modified")},
    "blocks": {"type": "object", "enabled": False},  # stored, not indexed
}
ADVICE = dict.fromkeys((401, 403), "check the user, password or key")
# Errors with status 400 whose cause is the index, not the row
NOT_THE_ROW = frozenset({"index_closed_exception", "invalid_index_name_exception", "index_not_found_exception"})


_Item = tuple[int, str, str]  # the server's answer for one document: status, type and reason of an error


class SearchSink:
    """Writes rows into an index, or into one for each day, month or year."""

    def __init__(self, target: Target, *, limits: HttpLimits | None = None):
        self._target, self._options = target, target.options
        self._client = HttpClient(target, OPTIONS, "api_key", limits)
        path, _, query = self._client.path.partition("?")
        self._base, _, name = path.rpartition("/")
        self._pattern = unquote(name)
        self.name = self._client.name
        self._analyzer = self._client.option("analyzer", "cjk")
        if query:
            raise self._wrong(f"unknown option {query.partition('=')[0]}; known: {', '.join(OPTIONS)}")
        self._index(datetime.now(UTC).isoformat())

    def write(self, batch: RowBatch) -> None:
        """Index the rows. Raises `SinkUnavailable` and `RowsRefused`."""
        places = self._places(batch)
        for index in dict.fromkeys(places):
            self._prepare(index)
        keys = [*map(key_of, batch.rows)]
        index_of = dict(zip(keys, places, strict=True))
        if refused := in_parts(keys, lambda first, end: self._send(batch.rows[first:end], index_of)):
            raise RowsRefused(refused)

    def check(self) -> None:
        """Create the index of today, or add the fields that it lacks."""
        self._prepare(self._index(datetime.now(UTC).isoformat()))

    def close(self) -> None:
        """Do nothing: no connection is kept."""

    # The index of a row

    def _index(self, fetched_at: str) -> str:
        """Return the name of the index of a row. Raises `OutputError` if it is invalid."""
        moment = datetime.fromisoformat(fetched_at).astimezone(UTC)
        name = _DATE.sub(lambda match: moment.strftime(match[1] or "%Y-%m-%d"), self._pattern)
        if not name or _INVALID_NAME.search(name) or len(name.encode()) > 255:
            raise self._wrong(
                f"{name!r} is an invalid index name; use lower-case letters, digits, - _ . and {{date:%Y.%m}}"
            )
        return name

    def _places(self, batch: RowBatch) -> list[str]:
        """Return the index of each row. A row that may already be written stays in the index that has it."""
        places = [self._index(row["fetched_at"]) for row in batch.rows]
        doubtful = [row_id(key_of(row)) for row in batch.rows if key_of(row) in batch.again]
        if not doubtful or not _DATE.search(self._pattern):
            return places
        having = self._having(doubtful)
        return [having.get(row_id(key_of(row)), place) for row, place in zip(batch.rows, places, strict=True)]

    def _having(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the index of each existing document, by its id, in all indices of the name."""
        pattern = quote(_DATE.sub("*", self._pattern), safe="*")
        path = f"{pattern}/_search?{_OF_HITS}&ignore_unavailable=true&allow_no_indices=true"
        refresh = f"{pattern}/_refresh?ignore_unavailable=true&allow_no_indices=true"
        self._request("POST", refresh, accepted=(403, 404))  # if it is not permitted, the last second is not found
        having: dict[str, str] = {}
        for start in range(0, len(ids), 1000):
            query = {"ids": {"values": ids[start : start + 1000]}}
            answer = self._request("POST", path, {"query": query, "_source": False, "size": 2000})
            with self._understood():
                found = json.loads(answer.body).get("hits", {}).get("hits", [])
                hits = [(str(hit["_index"]), str(hit["_id"])) for hit in found]
            having |= {one: index for index, one in sorted(hits, reverse=True)}
        return having

    # The index

    def _prepare(self, index: str) -> None:
        """Create an index, or add the fields that it lacks. An index that was removed is created again."""
        name = quote(index, safe="")
        answer = self._request("GET", f"{name}/_mapping", accepted=(404,))
        if answer.status == 404:
            body = {"mappings": {"dynamic": False, "properties": self._properties()}}
            created = self._request("PUT", name, body, accepted=(400,))
            if created.status == 400:  # another process created it, or the name or analyzer is invalid
                answer = self._request("GET", f"{name}/_mapping", accepted=(404,))
                if answer.status == 404:
                    raise self._wrong(f"the server did not create the index {index}: {self._error_words(created)}")
        if answer.status != 404:
            self._add_fields(name, answer)

    def _add_fields(self, name: str, answer: HttpAnswer) -> None:
        with self._understood():
            indices = json.loads(answer.body).values()
            existing = [{*index["mappings"].get("properties", {})} for index in indices]
        lacking = {
            field: kind
            for field, kind in self._properties().items()
            if not all(field in properties for properties in existing)
        }
        if lacking:
            self._request("PUT", f"{name}/_mapping", {"properties": lacking})

    def _properties(self) -> dict[str, Any]:
        """Return the mapping of the fields that rows have in this output."""
        pairs = list(self._options.fields) or [(name, name) for name in MAPPING]
        pairs += [(name, name) for name in KEY if name not in {source for _, source in pairs}]
        properties = {name: dict(MAPPING.get(source, _KEYWORD)) for name, source in pairs}
        for kind in properties.values():
            if kind["type"] == "text":
                kind["analyzer"] = self._analyzer
        return properties

    # Documents

    def _send(self, rows: Sequence[Row], index_of: Mapping[RowKey, str]) -> Mapping[RowKey, str] | str:
        answer = self._bulk(rows, index_of)
        if isinstance(answer, str):
            return answer
        refused: dict[RowKey, str] = {}
        for row, (status, kind, reason) in zip(rows, answer, strict=True):
            words = self._client.printable(f"{kind}: {reason}")
            if status == 400 and kind not in NOT_THE_ROW:
                refused[key_of(row)] = words
            elif status >= 300:
                raise self._client.unavailable(f"the server currently rejects rows: {status} {words}")
        return refused

    def _bulk(self, rows: Sequence[Row], index_of: Mapping[RowKey, str]) -> list[_Item] | str:
        """Send rows; return an item for each, or the words with which the server refuses the whole request."""
        body = b"".join(self._lines(rows, index_of))
        if len(body) > MOST_REQUEST and len(rows) > 1:
            return "too large"
        path = f"{self._base}/_bulk?{_OF_ITEMS}"
        headers = {"content-type": "application/x-ndjson"}
        answer = self._client.request("POST", path, body, headers, most=MOST_ANSWER)
        if answer.status in (400, 413):
            return self._error_words(answer)
        if answer.status != 200:
            self._fail(answer)
        with self._understood():
            items = _items(json.loads(answer.body))
        if [identity for identity, _ in items] != [row_id(key_of(row)) for row in rows]:
            raise self._client.unavailable("its answer does not match the request")
        return [item for _, item in items]

    def _lines(self, rows: Iterable[Row], index_of: Mapping[RowKey, str]) -> list[bytes]:
        lines = []
        for row in rows:
            key = key_of(row)
            lines.append(as_json({"index": {"_index": index_of[key], "_id": row_id(key)}}) + b"\n")
            lines.append(as_json(self._options.shaped(row, with_key=True)) + b"\n")
        return lines

    # Requests and answers

    def _request(self, method: str, path: str, body: object = None, *, accepted: Sequence[int] = ()) -> HttpAnswer:
        data = b"" if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json"} if data else {}
        answer = self._client.request(method, f"{self._base}/{path}", data, headers, most=MOST_ANSWER)
        if answer.status != 200 and answer.status not in accepted:
            self._fail(answer)
        return answer

    def _fail(self, answer: HttpAnswer) -> NoReturn:
        words = self._client.advised(answer.status, self._error_words(answer), ADVICE)
        raise self._client.unavailable(f"the server answered {words}", answer.wait)

    def _error_words(self, answer: HttpAnswer) -> str:
        """Return type and reason of an error, else the first words of the answer."""
        try:
            error = json.loads(answer.body)["error"]
            return self._client.printable(f"{answer.status} {error['type']}: {error['reason']}")
        except (ValueError, KeyError, TypeError):
            return self._client.words(answer)

    @contextmanager
    def _understood(self) -> Iterator[None]:
        """Raise `SinkUnavailable` if an answer has another form than the block expects."""
        try:
            yield
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            raise self._client.unavailable("its answer is invalid; is it OpenSearch or Elasticsearch?") from None

    def _wrong(self, what: str) -> OutputError:
        return OutputError(f"task {self._target.task}: output {self.name}: {what}")


def _items(answer: Any) -> list[tuple[str, _Item]]:
    """Return the id of each document of a bulk request, with the server's answer."""
    items = []
    for entry in answer["items"]:
        [result] = entry.values()
        error = result.get("error") or {}
        items.append((result["_id"], (int(result["status"]), str(error.get("type")), str(error.get("reason")))))
    return items
