"""A double of OpenSearch and Elasticsearch for tests, as strict as they are about what an output sends.

No package of pip, npm or apt installs a server that speaks `_bulk`. The double keeps what a server keeps over a
restart, checks each request (paths, NDJSON, ids, index names, mappings, types) and answers with a server's errors.
"""

import json
import re
import threading
from base64 import b64encode
from urllib.parse import parse_qsl, unquote

from .http_receiver import Receiver, reply

ANALYZERS = {"standard", "simple", "cjk", "english"}
TYPES = {"text", "keyword", "date", "float", "integer", "boolean", "object"}
LIMIT_OF_TERM = 32766  # bytes
_DATE = re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d(:\d\d(:\d\d([.,]\d{1,9})?)?)?(Z|[+-]\d\d(:?\d\d)?)?)?)?)?")


class Refused(Exception):
    """An error of the server: status, type and reason."""


class SearchDouble(Receiver):
    """`busy`: how many of the next documents get 429. `refused`: ids that get 400. `login`: user:password or none."""

    def __init__(self, *, login="", api_key="", most_bytes=100_000_000, tls=None):
        super().__init__(tls=tls)
        self.login, self.api_key, self.most_bytes = login, api_key, most_bytes
        self.indices = {}  # name → mapping properties
        self.documents = {}  # index → id → (version, document)
        self.searchable = {}
        self.busy, self.refused, self.blocked, self.auto_created = 0, set(), "", []
        self._lock = threading.Lock()
        self.answer = self.handle
        self.interfere, self.interfered = None, ""  # another answer instead, to paths with this part

    def handle(self, request, connection):
        if self.interfere is not None and self.interfered in request.path:
            return self.interfere(request, connection)
        try:
            with self._lock:
                body = self._answer(request)
        except Refused as error:
            status, kind, reason = error.args
            body = {"error": {"root_cause": [], "type": kind, "reason": reason}, "status": status}
            return connection.sendall(reply(status, self._filtered(request, body)))
        return connection.sendall(reply(200, self._filtered(request, body)))

    def _filtered(self, request, body):
        """Only what the parameter `filter_path` names, as a server does it, for errors too."""
        wanted = dict(parse_qsl(request.path.partition("?")[2])).get("filter_path")
        if wanted:
            body = {name: value for name, value in body.items() if name in {w.split(".")[0] for w in wanted.split(",")}}
        return json.dumps(body).encode()

    def _answer(self, request):
        expected = [f"Basic {b64encode(self.login.encode()).decode()}"] if self.login else []
        expected += [f"ApiKey {self.api_key}"] if self.api_key else []
        if expected and request.headers.get("authorization") not in expected:
            raise Refused(401, "security_exception", f"missing authentication credentials {request.headers}")
        if len(request.body) > self.most_bytes:
            raise Refused(413, "content_too_long", "too large")
        parts = unquote(request.path.partition("?")[0]).strip("/").split("/")
        if request.method == "POST" and parts == ["_bulk"]:
            return self._bulk(request)
        if request.body and request.headers["content-type"] != "application/json":
            raise Refused(406, "media_type_header_exception", "Content-Type")
        body = json.loads(request.body) if request.body else None
        match request.method, *parts:
            case "GET", index, "_mapping":
                return {index: {"mappings": {"dynamic": "false", "properties": self._known(index)}}}
            case "PUT", index, "_mapping":
                self._map(self._known(index), body)
                return {"acknowledged": True}
            case "PUT", index:
                return self._create(index, body)
            case "POST", pattern, "_refresh":
                self._matching(pattern)
                self.searchable = {name: set(documents) for name, documents in self.documents.items()}
                return {"_shards": {}}
            case "POST", pattern, "_search":
                wanted = set(body["query"]["ids"]["values"])
                hits = [
                    {"_index": index, "_id": one}
                    for index in self._matching(pattern)
                    for one in wanted & self.searchable.get(index, set())
                ]
                return {"hits": {"hits": hits[: body["size"]]}} if hits else {}
        raise Refused(400, "illegal_argument_exception", f"no handler for {request.method} {request.path}")

    def _known(self, index):
        if index not in self.indices:
            raise Refused(404, "index_not_found_exception", f"no such index [{index}]")
        return self.indices[index]

    def _matching(self, pattern):
        form = re.compile(".*".join(map(re.escape, pattern.split("*"))))
        return [index for index in self.indices if form.fullmatch(index)]

    def _create(self, index, body):
        if index in self.indices:
            raise Refused(400, "resource_already_exists_exception", f"index [{index}] already exists")
        if re.search(r'^[-_+]|[\\/*?"<>| ,#:A-Z]', index) or index in (".", "..") or len(index.encode()) > 255:
            raise Refused(400, "invalid_index_name_exception", f"Invalid index name [{index}]")
        if set(body) - {"mappings", "settings", "aliases"} or body["mappings"].get("dynamic") is not False:
            raise Refused(400, "parse_exception", "unknown key")
        properties = {}
        self._map(properties, body["mappings"])
        self.indices[index], self.documents[index] = properties, {}
        return {"acknowledged": True, "index": index}

    def _map(self, properties, mapping):
        for name, kind in mapping["properties"].items():
            if kind["type"] not in TYPES or kind.get("analyzer", "cjk") not in ANALYZERS or not name:
                raise Refused(400, "mapper_parsing_exception", f"Failed to parse mapping: {kind}")
            if set(kind) - {"type", "analyzer", "ignore_above", "enabled"}:
                raise Refused(400, "mapper_parsing_exception", "unsupported parameters")
            if name in properties and properties[name]["type"] != kind["type"]:
                raise Refused(400, "illegal_argument_exception", f"mapper [{name}] cannot be changed")
        properties.update(mapping["properties"])

    def _bulk(self, request):
        if request.headers["content-type"] != "application/x-ndjson":
            raise Refused(406, "media_type_header_exception", "Content-Type")
        if not request.body.endswith(b"\n"):
            raise Refused(400, "illegal_argument_exception", "The bulk request must be terminated by a newline [\\n]")
        lines = request.body[:-1].split(b"\n")
        items = []
        for action, document in zip(lines[::2], lines[1::2], strict=True):
            [(name, place)] = json.loads(action).items()
            if name != "index" or set(place) != {"_index", "_id"} or len(place["_id"].encode()) > 512:
                raise Refused(400, "illegal_argument_exception", "Malformed action/metadata line")
            items.append({"index": {"_index": place["_index"], "_id": place["_id"], **self._index(place, document)}})
        return {"took": 1, "errors": any("error" in one["index"] for one in items), "items": items}

    def _index(self, place, text):
        try:
            document = json.loads(text.decode())
            index, one = place["_index"], place["_id"]
            if index not in self.indices:
                self.auto_created.append(index)
                self.indices[index], self.documents[index] = {}, {}
            if self.busy > 0:
                self.busy -= 1
                raise Refused(429, "es_rejected_execution_exception", "rejected execution of coordinating operation")
            if self.blocked:
                raise Refused(403, "cluster_block_exception", self.blocked)
            for name, kind in self.indices[index].items():
                values = document.get(name)
                for value in values if isinstance(values, list) else [values]:
                    if value is not None:
                        _check(name, kind, value)
            if one in self.refused:
                raise Refused(400, "document_parsing_exception", f"[1:2] failed to parse {text[:100]!r}")
        except Refused as error:
            status, kind, reason = error.args
            return {"status": status, "error": {"type": kind, "reason": reason}}
        version, _ = self.documents[index].get(one, (0, None))
        self.documents[index][one] = (version + 1, document)
        return {"status": 200 if version else 201, "_version": version + 1}


def _check(name, kind, value):
    """A value has to be of its field's type."""
    fits = {
        "text": lambda: isinstance(value, str | int | float),
        "keyword": lambda: len(str(value)) > kind.get("ignore_above", 1 << 31) or _term_fits(value),
        "date": lambda: isinstance(value, str) and _DATE.fullmatch(value),
        "float": lambda: isinstance(value, float | int) and not isinstance(value, bool),
        "integer": lambda: isinstance(value, int) and not isinstance(value, bool),
        "boolean": lambda: isinstance(value, bool),
        "object": lambda: isinstance(value, dict) or not kind.get("enabled", True),
    }[kind["type"]]
    if not fits():
        raise Refused(400, "document_parsing_exception", f"failed to parse field [{name}] of type [{kind['type']}]")


def _term_fits(value):
    return isinstance(value, str | int | float | bool) and len(str(value).encode()) <= LIMIT_OF_TERM
