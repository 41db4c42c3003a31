"""ruamel.yaml's scanner with a limit on nesting: its time grows with the square of the depth of lists in brackets."""

from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.scanner import RoundTripScanner, ScannerError

from crawler.task_list.plain_yaml import MAX_DEPTH

TOO_DEEP = "nested too deeply"


def bounded_yaml() -> YAML:
    """Return a parser that raises `ScannerError` with the problem `TOO_DEEP` at the first bracket that is too deep."""
    yaml = YAML(typ="rt", pure=True)
    yaml.Scanner = _BoundedScanner
    return yaml


class _BoundedScanner(RoundTripScanner):
    def fetch_flow_collection_start(self, token_class: Any, /, to_push: str) -> None:
        if len(self.flow_context) > MAX_DEPTH:
            raise ScannerError(problem=TOO_DEEP, problem_mark=self.reader.get_mark())
        super().fetch_flow_collection_start(token_class, to_push)
