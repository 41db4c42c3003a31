"""The adopted examples that tasks.yaml may not name yet. Loads no extractor: each spider reads them at its start."""

import json
from dataclasses import dataclass
from typing import cast

import redis

from .. import keys
from ..stored_json import known_fields


@dataclass(frozen=True, slots=True)
class AdoptedExample:
    """An example that was adopted and that tasks.yaml may not name yet. `instead_of`: the one that it names."""

    url: str
    instead_of: str


def adopted_examples(connection: "redis.Redis") -> dict[str, AdoptedExample]:
    """Return, by task, the adopted examples that are not in tasks.yaml, as far as is known."""
    raw = cast(dict[bytes, bytes], connection.hgetall(keys.EXAMPLES))
    return {
        name.decode(): AdoptedExample(**known_fields(AdoptedExample, json.loads(text))) for name, text in raw.items()
    }
