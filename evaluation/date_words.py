"""Makes extractors/metadata/date_words.json from CLDR: `python -m evaluation.date_words`.

Names of months, weekdays and parts of the day, the forms of "3 hours ago", and the order of the numbers come from
Babel's copy of CLDR. What Babel leaves out is in date_words.toml: words for yesterday and today, words that stand
between the parts of a date, and forms that newspapers use beside CLDR's.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from babel import Locale, localedata

from extractors.metadata.date_words import FILL, FOREIGN, HALVES, WEEKDAY, WORD, WORDS_FILE, fold

TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
LOCALES: dict[str, list[str]] = TABLES["locales"]  # by language
SHORT = 4  # letters below which a word may be one of another language: Mac is March in Malay, and no month elsewhere
SHORT_WORDS_OF = {"en", "de", "fr", "es", "it", "pt", "nl"}  # these count where the language is not known
AMBIGUOUS = {"hier", "eile", "jana", "heri", "avui", "dnes", "kecha", "gister"}
_LITERAL = r"'([^']+)'"
UNITS = {"minute": "m", "hour": "h", "day": "d", "week": "w"}


def table(step: int = 1) -> dict[str, Any]:
    """Return the content of date_words.json; of the styles of territories only each `step`-th."""
    raw: set[str] = set()
    own = {language: _words(language, names, raw) for language, names in LOCALES.items()}
    own[""] = _of_any(own)
    ago = dict(sorted(_without_conflicts()))
    days = {
        language: {fold(word): number for number, word in _days(words)}
        for language, words in TABLES["days_ago"].items()
    }
    clear = {word: number for known in days.values() for word, number in known.items() if _is_clear(word)}
    counts = {fold(word): number + 1 for words in TABLES["counts"].values() for number, word in _days(words) if word}
    longest = {max(WORD.findall(form) or [""], key=lambda word: (len(word), word)) for form in ago}
    day_words = {WORD.findall(word)[0] for known in days.values() for word in known if WORD.match(word)}
    months = {word for words in own.values() for word, code in words.items() if code % FOREIGN < WEEKDAY}
    return {
        "words": {language: _by_code(words) for language, words in own.items()},
        "joined": _joined(raw),
        "ago": ago,
        "counts": dict(sorted(counts.items())),
        "days": {
            language: _longest_first(known | days["en"] | days["zh"]) for language, known in {**days, "": clear}.items()
        },
        "styles": dict(sorted(_styles(step))),
        "signs": " ".join(sorted(longest | day_words | {part for month in months for part in WORD.findall(month)})),
        "zones": {name: zone if isinstance(zone, str) else f"{zone:+03d}00" for name, zone in TABLES["zones"].items()},
    }


@cache
def clean_locale(name: str) -> Locale:
    """Return a locale whose data is read anew: Babel mixes the words of locales that it reads one after the other."""
    localedata._cache.clear()
    locale = Locale.parse(name)
    assert locale.months  # is read now
    return locale


def _longest_first(days: dict[str, int]) -> dict[str, int]:
    return dict(sorted(days.items(), key=lambda day: (-len(day[0]), day[0])))


def _by_code(words: dict[str, int]) -> dict[str, str]:
    codes: dict[int, list[str]] = {}
    for word, code in sorted(words.items()):
        codes.setdefault(code, []).append(word.replace(" ", "_"))
    return {str(code): " ".join(words) for code, words in sorted(codes.items())}


def _of_any(own: dict[str, dict[str, int]]) -> dict[str, int]:
    """Return the words for pages of other and unknown languages; a word for different months in two has none."""
    every: dict[str, int] = {}
    for language, words in own.items():
        for word, code in words.items():
            if len(word) < SHORT and word.isascii() and language not in SHORT_WORDS_OF:
                continue
            known = every.setdefault(word, code)
            if known != code:
                months = [each for each in (known, code) if each < WEEKDAY]
                every[word] = months[0] if len(months) == 1 else 0 if months else FILL
    foreign = {word: code + FOREIGN * (code < WEEKDAY and word.isascii()) for word, code in every.items() if code}
    return foreign | own["en"]


def _joined(names: set[str]) -> str:
    """Return an expression for names of several parts (p.m., ม.ค., tháng 3), and for words within Chinese ones."""
    ordered = sorted(names, key=lambda name: (-len(name), name))
    spaced = (re.escape(name).replace(r"\.", r"\.\s?").replace("ا", "[اأإآ]") for name in ordered if WORD.match(name))
    others = [name for name in ordered if not WORD.match(name)]
    rows, single = ("|".join(name for name in others if (len(name) > 1) is several) for several in (True, False))
    in_brackets = "[(（][月火水木金土日월화수목금토일](?:・?祝)?[)）]"
    return rf"(?<![^\W\d])(?:{'|'.join(spaced)})\.?(?!\w)|{rows}|(?:{single})(?=\s?\d)|{in_brackets}"


def _words(language: str, names: Sequence[str], raw: set[str]) -> dict[str, int]:
    """Return the words of a language with their most important meaning; add those of several parts to `raw`."""
    meanings: dict[str, int] = {}
    for code, text in _meanings(language, names):
        parts = [fold(part) for part in WORD.findall(text)]
        name = re.sub(r"\.\s", ".", text.lower().replace("\xa0", " ").replace("\u202f", " ").rstrip("."))
        if (len(text) == 1 and code == WEEKDAY) or (not parts and (code < WEEKDAY or re.search(r"\d", name))):
            continue
        several = code < WEEKDAY and " " in name and parts[0] not in ("d", "de")
        if re.search(r"\d", name) and not several:
            continue
        if "." in name or not parts or several:
            raw.add(name)
            meanings.setdefault(fold(name), code)
        else:
            meanings.setdefault(parts[-1], code)
    return meanings


def _meanings(language: str, names: Sequence[str]) -> Iterator[tuple[int, str]]:
    locales = [clean_locale(name) for name in names]
    for locale in locales:
        for month, name in _named(locale.months):
            yield month, name
            if "." not in name:
                yield from ((month, before + name + after) for before, after in sorted(_attached(locale)))
    yield from (
        (int(month), word) for month, words in TABLES["months"].get(language, {}).items() for word in words.split()
    )
    for locale in locales:
        yield from sorted(_halves(locale), key=lambda half: (half[0] not in (HALVES + 6, HALVES + 18), " " in half[1]))
    yield from (
        (HALVES + int(hour), word)
        for hour, words in TABLES["halves"].get(language, {}).items()
        for word in words.split()
    )
    patterns = " ".join(chain.from_iterable(map(_patterns, locales)))
    literals = WORD.findall(f"{TABLES['fillers'].get(language, '')} {' '.join(re.findall(_LITERAL, patterns))}")
    yield from ((FILL, word) for word in literals if word not in ("h", "min", "s"))
    yield from ((WEEKDAY, name) for locale in locales for _, name in _named(locale.days))


def _named(names: Any) -> Iterator[tuple[int, str]]:
    for context in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            yield from names[context][width].items()


def _patterns(locale: Locale) -> list[str]:
    dates = [locale.date_formats[width].pattern for width in ("full", "long", "medium", "short")]
    times = [locale.time_formats[width].pattern for width in ("full", "long", "medium", "short")]
    return [*dates, *times, *map(str, locale.datetime_formats.values())]


def _attached(locale: Locale) -> set[tuple[str, str]]:
    """Return what CLDR's patterns write before and after the month's name without a space: 5 במרץ, martxoaren 5."""
    found = re.findall(r"(?<!')'?([^\W\dA-Za-z]*)'?MMMM?'?([a-zà-ÿ]*)'?", " ".join(_patterns(locale)))
    return {pair for pair in found if any(pair)}


def _halves(locale: Locale) -> Iterator[tuple[int, str]]:
    """Yield the names of parts of the day, with the hour in their middle."""
    rules = {"am": (0, 12), "pm": (12, 24)}
    for name, periods in (locale.day_period_rules.get(None) or {}).items():
        rule = periods[0]
        begin, end = (rule.get(key, rule.get("at")) // 3600 for key in ("from", "before"))
        rules[name] = begin, end if end >= begin else end + 24
    for context in ("format", "stand-alone"):
        for width in ("wide", "abbreviated", "narrow"):
            for name, word in locale.day_periods[context][width].items():
                if name in rules and (len(word.rstrip(".")) > 1 or not word.isascii()):
                    yield HALVES + sum(rules[name]) // 2 % 24, word


def _days(words: str) -> Iterator[tuple[int, str]]:
    for number, alike in enumerate(words.split(";")):
        yield from ((number, word.strip()) for word in alike.split(","))


def _is_clear(word: str) -> bool:
    """Whether a word means its day where the language is not known: hier is "here" in German."""
    return (len(word) > 3 or not word.isascii()) and word not in AMBIGUOUS


def _without_conflicts() -> Iterator[tuple[str, str]]:
    """Yield the past forms whose unit is the same in all languages that have them, and which mean no future."""
    units: dict[str, set[str]] = {}
    for language, names in LOCALES.items():
        for unit, form in _ago(language, names):
            units.setdefault(form, set()).add(unit)
    yield from ((form, min(unit)) for form, unit in units.items() if len(unit) == 1 and "?" not in unit)


def _ago(language: str, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    for text in filter(None, TABLES["also_ago"].get(language, "").split(", ")):
        unit, form = text.split(":")
        yield unit, _form(form)
    for name in names:
        fields = clean_locale(name)._data["date_fields"]
        for field, width in ((field, width) for field in fields for width in ("", "-short", "-narrow")):
            if "-" in field or field not in ("second", "month", "year", *UNITS):
                continue
            unit = UNITS.get(field, "?")
            future = set(fields[field + width].get("future", {}).values())
            for plural, pattern in fields[field + width].get("past", {}).items():
                if pattern in future or _is_unit_alone(pattern):
                    continue
                forms = [pattern.replace("{0}", "#")]
                for word, others in TABLES["otherwise"].get(language, {}).items():
                    forms += [form.replace(word, other) for form in forms for other in others]
                times = 2 if plural == "two" and "{0}" not in pattern else 1
                yield from ((unit * times, _form(form)) for form in forms)


def _is_unit_alone(pattern: str) -> bool:
    """Whether a form has no word for the past, only a sign or nothing: -5 h, 5 h."""
    letters = re.findall(r"[^\W\d_]", pattern)
    return len(letters) < 2 or pattern.strip("\u200e\u200f")[0] in "-−‑–+" or pattern == "אתמול"


def _form(pattern: str) -> str:
    return re.sub(r"\s*#\s*", "#", " ".join(fold(pattern).split())).replace(".", "")


def _styles(step: int) -> Iterator[tuple[str, str]]:
    """Yield how languages write dates in numbers, and those of their territories that have another order.

    English without a territory has no order: pages of all countries declare it.
    """
    names: dict[str, str] = {}
    for name in sorted(localedata.locale_identifiers(), key=len):
        key = "-".join(part for part in name.lower().split("_") if len(part) != 4)
        if name.split("_")[0] in {*LOCALES, "nn"} and key.count("-") <= 1:
            names.setdefault(key, name)
    territories = [key for key in names if "-" in key][::step]
    seen: dict[str, str] = {}
    for key in [*(key for key in names if "-" not in key), *territories]:
        locale = clean_locale(names[key])
        day, time = locale.date_formats["short"].pattern, locale.time_formats["short"].pattern
        order = "".join(dict.fromkeys(re.sub("[^dmy]", "", day.split("G")[0].lower())))
        seen[key] = order + "." * ("." in day) + "h" * ("mm" in time.partition(".")[2])
    for key, style in seen.items():
        language, _, territory = key.partition("-")
        if key != "en" and (not territory or language == "en" or style[:3] != seen[language][:3]):
            yield key, style


def written(table: dict[str, Any]) -> str:
    """Return the file's text."""
    parts = (f"{json.dumps(key)}: {json.dumps(part, ensure_ascii=False)}" for key, part in table.items())
    return "{" + ",\n".join(parts) + "}\n"


if __name__ == "__main__":
    Path(WORDS_FILE).write_text(written(table()), encoding="utf-8")
