"""The wording of the generated pages: their own phrases here, texts of the program by its Chinese catalogue."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from console.locale import DOMAIN, FOLDER, LANGUAGE
from console.locale.translator import CONTEXT, DESCRIPTION, Translator, read_mo
from docs.site.contents import CHINESE

IN_CHINESE: Mapping[str, str] = {
    "This page is written by `make reference` from the program.": "本页由 `make reference` 根据程序生成。",
    "The keys of tasks.yaml": "tasks.yaml 的键",
    "The fields of a row": "数据行的字段",
    "Commands": "命令",
    "Keys of a task": "任务的键",
    "Settings of the file": "整个文件的设置",
    "Keep and drop": "keep 和 drop",
    "Login": "登录",
    "Options of an output": "输出的选项",
    "Conditions": "条件",
    "Batches": "批次",
    "Marks": "界限",
    "key": "键",
    "field": "字段",
    "form": "写法",
    "default": "默认值",
    "meaning": "含义",
    "option": "选项",
    "Form: {}.": "写法：{}。",
    "Default: {}.": "默认值：{}。",
    "Required.": "必需。",
    "Required, here or in `defaults`.": "必需，写在这里或 `defaults` 里。",
    "Optional.": "可选。",
    "required": "必需",
    "text": "文本",
    "whole number": "整数",
    "number": "数",
    "list of {}": "{}的列表",
    "one of {}": "{} 之一",
    "map of names to {}": "名称到{}的映射",
    "map of names to values": "名称到值的映射",
    "{} to {}": "{} 到 {}",
    "at least {}": "至少 {}",
    "at most {}": "至多 {}",
    "above {}": "大于 {}",
    "day, such as 2026-11-22": "日期，如 2026-11-22",
    ", or ": "，或",
    "map": "映射",
    "field of a row": "数据行的字段",
    "a list of these": "由这些组成的列表",
    "URL": "网址",
    "Examples:": "例子：",
    "A task list has three parts: `tasks`, the sections by their names; `settings`, for all of them; and `defaults`, "
    "keys for tasks that do not set them. A task needs `example`, `pattern`, `every` and `output`; the last two may be "
    "in `defaults`. `exemplar check` finds mistakes, and editors complete and check all keys by the schema that the "
    "first line of the sample names.": (
        "任务列表有三个部分：`tasks` 按名称列出各个栏目；`settings` 对整个文件有效；`defaults` 是任务没有自己写明时"
        "使用的键。任务必须有 `example`、`pattern`、`every` 和 `output`，后两个可以写在 `defaults` 里。"
        "`exemplar check` 会找出错误；编辑器根据样例第一行指明的 schema 补全和检查所有的键。"
    ),
    "Each article, or each entry of a list, is one row. `exemplar schema` prints the same as a JSON Schema. Later "
    "versions may add fields; none is removed, renamed or given another type, so a reader must ignore unknown "
    "fields.": (
        "每篇文章，或列表的每个条目，是一行。`exemplar schema` 以 JSON Schema 的形式打印同样的内容。"
        "以后的版本可能增加字段；字段不会删除、改名或改变类型，所以读取程序应当忽略不认识的字段。"
    ),
    "Every command has `--help` with its examples. Those that print results have `--json`. Exit codes: 0 ok, 1 some "
    "pages or tasks failed, 2 wrong usage or an invalid file, 3 a required service is unavailable.": (
        "每个命令都有带例子的 `--help`，输出结果的命令都有 `--json`。退出码：0 成功，1 部分页面或任务失败，"
        "2 用法错误或文件无效，3 所需的服务不可用。"
    ),
}


@dataclass(frozen=True, slots=True)
class PageTexts:
    """The texts of a page: `phrase` for the generator's own, `message` and `description` for those of the program."""

    suffix: str
    phrase: Callable[[str], str]
    message: Callable[[str], str]
    description: Callable[[str], str]


@cache
def _catalogue() -> dict[str, str]:
    return read_mo((FOLDER / LANGUAGE / "LC_MESSAGES" / f"{DOMAIN}.mo").read_bytes())


@cache
def _translator() -> Translator:
    return Translator(_catalogue())


def _unchanged(text: str) -> str:
    return text


def _described(text: str, translate: Callable[[str], str]) -> str:
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
    return "\n\n".join(map(translate, paragraphs))


ENGLISH_WORDING = PageTexts("", _unchanged, _unchanged, lambda text: _described(text, _unchanged))
CHINESE_WORDING = PageTexts(
    CHINESE,
    IN_CHINESE.__getitem__,
    lambda text: _translator().translate(text),
    lambda text: _described(text, lambda paragraph: _catalogue().get(f"{DESCRIPTION}{CONTEXT}{paragraph}", paragraph)),
)
