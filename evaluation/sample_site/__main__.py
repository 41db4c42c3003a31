"""Records the pages that the demo serves, in `console/sample_site/pages.jsonl`: `python -m evaluation.sample_site`."""

import base64
import json
from collections.abc import Iterator

from console.sample_site import BASE, FOLDER

from .content import SECTIONS, truth
from .site_pages import render_site


def recording() -> Iterator[str]:
    """Yield a line of JSON for each page."""
    texts = {story.path: story.text for section in SECTIONS for story in truth(section)}
    for path, response in render_site(BASE).items():
        is_picture = response.headers.get("Content-Type") == "image/png"
        encoding = "base64" if is_picture else "gbk" if path.startswith("/zh/") else "utf-8"
        body = base64.b64encode(response.body).decode() if is_picture else response.body.decode(encoding)
        page = {
            "path": path,
            "status": response.status,
            "headers": response.headers,
            "encoding": encoding,
            "body": body,
        }
        yield json.dumps(page | ({"text": texts[path]} if path in texts else {}), ensure_ascii=False)


if __name__ == "__main__":
    (FOLDER / "pages.jsonl").write_text("".join(f"{line}\n" for line in recording()), "utf-8")
