"""`python -m docs.site FOLDER` builds the site; a warning of Sphinx, such as one of a broken link, fails it."""

import argparse
import os
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

from docs.site.contents import ROOT
from docs.site.staging import MissingPageError, stage

HERE = Path(__file__).parent


def build(target: Path, pictures: Path | None = None) -> int:
    """Build the site into `target`, its pages first into `target`-pages; return Sphinx' exit code."""
    pages = target.with_name(f"{target.name}-pages")
    stage(pages, pictures)
    arguments = ["-b", "html", "-c", HERE, "-W", "--keep-going", "-q", "-E", "-d", f"{pages}-read"]
    return build_main([*map(str, arguments), str(pages), str(target)])


def main() -> int:
    """Build the site as the command line says, and print where it is."""
    parser = argparse.ArgumentParser(description="Build the documentation site.")
    parser.add_argument("target", type=Path, help="folder of the site")
    parser.add_argument("--pictures", type=Path, help="folder of what docs.site.pictures took, if it is there")
    options = parser.parse_args()
    os.chdir(ROOT)
    try:
        pictures = options.pictures.absolute() if options.pictures and options.pictures.is_dir() else None
        code = build(options.target.absolute(), pictures)
    except MissingPageError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if code == 0:
        print(f"{options.target}/index.html")
    return code


if __name__ == "__main__":
    sys.exit(main())
