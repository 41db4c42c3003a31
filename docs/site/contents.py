"""The pages of the site, in the order of its navigation.

A page that has a Chinese form is `NAME.md` and `NAME.zh-CN.md`. Pages about how Exemplar is made and measured are in
English only, as are those that are read beside the source.
"""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
CHINESE = ".zh-CN"
DECISIONS = "decisions/index"


@dataclass(frozen=True, slots=True)
class SitePage:
    """A page: its name in the site, its labels in the navigation, and its source if that is not docs/NAME.md."""

    name: str
    label: str
    chinese_label: str
    source: str = ""

    def file(self, language: str = "") -> Path:
        """Return the source of the page; `language` is "" or `CHINESE`."""
        return ROOT / self.source if self.source else DOCS / f"{self.name}{language}.md"

    def has_chinese(self) -> bool:
        """Return whether the page has a Chinese form."""
        return not self.source and self.file(CHINESE).exists()


@dataclass(frozen=True, slots=True)
class SiteSection:
    """A part of the navigation."""

    label: str
    chinese_label: str
    pages: tuple[SitePage, ...]


CONTENTS = (
    SiteSection(
        "Get started",
        "入门",
        (
            SitePage("index", "Exemplar", "Exemplar"),
            SitePage("start", "The first five minutes", "五分钟上手"),
        ),
    ),
    SiteSection(
        "Use",
        "使用",
        (
            SitePage("console", "The console", "控制台"),
            SitePage("explain", "Explaining a result", "为什么这样提取"),
            SitePage("health", "Health and alarms", "健康状况与警报"),
            SitePage("healing", "After a redesign", "改版之后"),
            SitePage("outputs", "Outputs", "输出"),
            SitePage("scrapy", "Scrapy", "Scrapy"),
        ),
    ),
    SiteSection(
        "Reference",
        "参考",
        (
            SitePage("reference/tasks", "tasks.yaml", "tasks.yaml"),
            SitePage("reference/rows", "Fields of a row", "数据行的字段"),
            SitePage("reference/command-line", "Command line", "命令行"),
            SitePage("reference/python", "Python", "Python"),
            SitePage("glossary", "Glossary", "术语表"),
        ),
    ),
    SiteSection(
        "Operate",
        "运行",
        (
            SitePage("operations", "Operations", "运维"),
            SitePage("monitoring", "Monitoring", "监控"),
            SitePage("deploy", "Deploying", "部署", "deploy/README.md"),
            SitePage("guarantees", "Guarantees", "可靠性保证"),
            SitePage("scale", "Scale", "容量"),
        ),
    ),
    SiteSection(
        "How it works",
        "原理",
        (
            SitePage("architecture", "Architecture", "系统架构"),
            SitePage("package-extractors", "extractors", "extractors", "extractors/README.md"),
            SitePage("package-workers", "workers", "workers", "workers/README.md"),
            SitePage("package-crawler", "crawler", "crawler", "crawler/README.md"),
            SitePage("package-console", "console", "console", "console/README.md"),
            SitePage("methods", "Methods", "提取方法"),
            SitePage("sources", "The sources, part by part", "论文逐项对照"),
            SitePage("methods-figures", "How each method decides", "各方法的判断过程"),
            SitePage("methods-bp-network", "bp-network", "bp-network"),
            SitePage("methods-page-types", "Page types", "页面类型"),
            SitePage("methods-visual", "visual", "visual"),
            SitePage("measurements", "Measurements", "测量结果"),
            SitePage(DECISIONS, "Decisions", "设计决策"),
        ),
    ),
    SiteSection(
        "Project",
        "项目",
        (
            SitePage("changelog", "Changes", "变更记录", "CHANGELOG.md"),
            SitePage("contributing", "Contributing", "参与开发", "CONTRIBUTING.md"),
            SitePage("security", "Security", "安全", "SECURITY.md"),
        ),
    ),
)


def all_pages() -> list[SitePage]:
    """Return the pages in the order of the navigation."""
    return [page for section in CONTENTS for page in section.pages]


def decisions() -> list[Path]:
    """Return the decisions in their order."""
    return sorted((DOCS / "decisions").glob("[0-9]*.md"))
