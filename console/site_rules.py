"""Rules for single sites, which cut a page down before a method reads it: `exemplar extract --rules FOLDER`.

Source 001 sets rules for single sites beside the statistics of the line blocks. FOLDER has a YAML file for each host,
such as `example.org.yaml`, which counts for www.example.org, too, if that has no file of its own:

    body: //h1 | //div[@id="text"]      # XPath of the elements that stay: title, date and text
    remove: .//ul | .//aside            # XPath from each of them: what is removed there; may be left out

The host is that of a page's URL, else of the address that a saved page declares.
"""

from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import click
from lxml import etree

from console.inputs import PageIn
from crawler.task_list.yaml_source import read
from extractors import UnusablePage
from extractors.html.decoding import decode
from extractors.html.dom import parse, remove

KEYS = ("body", "remove")
ADDRESS = "string((//link[@rel='canonical']/@href | //meta[@property='og:url']/@content)[1])"
BODY = etree.XPath("/html/body")


@dataclass(frozen=True, slots=True)
class SiteRule:
    """The rule of a host: XPath of the elements that stay, and of those that are removed in them, or None."""

    file: Path
    body: etree.XPath
    remove: etree.XPath | None


def read_rules(folder: Path) -> dict[str, SiteRule]:
    """Return the rules of a folder by host. Raises `click.UsageError` with file, line and remedy for a wrong one."""
    files = sorted(folder.glob("*.yaml"))
    if not files:
        raise click.UsageError(f"{folder} has no rules; add a file for each host, such as example.org.yaml")
    return {file.stem.lower(): _read(file) for file in files}


def cut_down(page: PageIn, rules: Mapping[str, SiteRule]) -> tuple[PageIn, SiteRule | None]:
    """Return a page with what the rule of its host selects, and None; a page on which it selects nothing comes back
    as it is, with the rule. A page whose host has no rule comes back as it is, with None.
    """
    try:
        root = parse(decode(page.body, page.content_type)[0])
    except UnusablePage:
        return page, None
    rule = _rule_of(urlsplit(page.url or str(root.xpath(ADDRESS))).hostname or "", rules)
    if rule is None:
        return page, None
    found = {one: None for one in _elements(rule.body, root) if one.tag not in ("html", "body")}
    kept = [one for one in found if not any(above in found for above in one.iterancestors())]
    bodies = _elements(BODY, root)
    if not kept or not bodies:
        return page, rule
    for one in kept:
        for gone in _elements(rule.remove, one) if rule.remove is not None else ():
            if gone is not one:
                remove(gone)
    bodies[0].clear()
    bodies[0].extend(kept)
    for one in kept:
        one.tail = "\n"
    html = etree.tostring(root, encoding="utf-8", method="html")
    return replace(page, body=BOM_UTF8 + html), None  # the mark counts more than a declared encoding


def _rule_of(host: str, rules: Mapping[str, SiteRule]) -> SiteRule | None:
    """Return the rule of a host, or of the nearest host above it."""
    while host and host not in rules:
        host = host.partition(".")[2]
    return rules.get(host)


def _elements(path: etree.XPath, context: etree._Element) -> list[etree._Element]:
    found = path(context)
    return [one for one in found if isinstance(one, etree._Element)] if isinstance(found, list) else []


def _read(file: Path) -> SiteRule:
    found = dict(_paths(file))
    if "body" not in found:
        raise click.UsageError(f"{file}:1: body is missing; write, for example, body: //article")
    return SiteRule(file, found["body"], found.get("remove"))


def _paths(file: Path) -> Iterator[tuple[str, etree.XPath]]:
    """Yield each key of a file with its XPath."""
    source = read(file)
    for mistake in source.mistakes:
        raise click.UsageError(str(mistake))
    if not isinstance(source.data, dict):
        raise click.UsageError(f"{file}:1: no keys; write, for example, body: //article")
    for key, value in source.data.items():
        where = f"{file}:{source.key_place((key,))[0]}"
        if key not in KEYS:
            raise click.UsageError(f"{where}: unknown key {key!r}; the keys are {' and '.join(KEYS)}")
        try:
            path = etree.XPath(value if isinstance(value, str) else "")
            path(etree.Element("html"))  # unknown functions and prefixes are found only here
        except etree.XPathError as error:
            raise click.UsageError(
                f"{where}: {key} is no XPath: {error}; write, for example, //div[@id='text']"
            ) from None
        yield key, path
