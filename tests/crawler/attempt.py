"""A child of tests: fetches URLs by the crawl's own path and prints, as JSON, what came of each.

Arguments: a file with the URLs as a JSON list, and the seconds that an answer may take.
"""

import json
import sys
from pathlib import Path


def main(file: str, seconds: str) -> None:
    from crawler import settings
    from crawler.fetching.single_pages import fetch
    from crawler.gates import settings_in_force
    from crawler.politeness import pace

    settings.DOWNLOAD_TIMEOUT = settings_in_force.OWN["DOWNLOAD_TIMEOUT"] = float(seconds)
    pace.ADDRESS_KEPT = 0.0  # so that each lookup is made
    answers = fetch(json.loads(Path(file).read_text("utf-8")), delay=0)
    print(json.dumps({url: said if isinstance(said, str) else "fetched" for url, said in answers.items()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
