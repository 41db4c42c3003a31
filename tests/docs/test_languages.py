"""A Chinese page has the sections, tables, code and names of the English one, in the same order."""

import re
from pathlib import Path

import pytest

from tests.docs.documents import ROOT, documents, marked, shape

CHINESE = [path for path in documents() if path.name.endswith(".zh-CN.md")]
WRITTEN = [path for path in CHINESE if path.parent.name != "reference"]  # by a person
NAMES = [str(path.relative_to(ROOT)) for path in CHINESE]


def english(path: Path) -> str:
    return path.with_name(path.name.replace(".zh-CN", "")).read_text("utf-8")


def test_the_documents_of_users_have_a_chinese_page() -> None:
    assert len(CHINESE) >= 13


@pytest.mark.parametrize("path", CHINESE, ids=NAMES)
def test_both_pages_have_the_same_form(path: Path) -> None:
    assert shape(path.read_text("utf-8")) == shape(english(path))


@pytest.mark.parametrize("path", WRITTEN, ids=[path.name for path in WRITTEN])
def test_both_pages_name_the_same_things(path: Path) -> None:
    assert marked(path.read_text("utf-8")) == marked(english(path))


@pytest.mark.parametrize("path", CHINESE, ids=NAMES)
def test_a_chinese_page_leads_to_chinese_pages(path: Path) -> None:
    targets = re.findall(r"\]\(([\w./-]+\.md)", path.read_text("utf-8"))
    with_chinese = [target for target in targets if (path.parent / target.replace(".md", ".zh-CN.md")).exists()]
    assert [target for target in with_chinese if path.name != "README.zh-CN.md"] == []
