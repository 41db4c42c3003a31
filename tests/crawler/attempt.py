"""A child of tests: fetches URLs by the crawl's own path and prints, as JSON, what came of each.

Arguments: a file with the URLs as a JSON list.
"""

import json
import sys
from pathlib import Path


def main(file: str) -> None:
    from crawler.fetching import fetch

    answers = fetch(json.loads(Path(file).read_text("utf-8")), delay=0)
    print(json.dumps({url: said if isinstance(said, str) else "fetched" for url, said in answers.items()}))


if __name__ == "__main__":
    main(sys.argv[1])
