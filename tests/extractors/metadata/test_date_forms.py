"""Written dates in sixty languages: one half was used while the reader was made, the other was written before it.

date_forms/NAME.txt has a line for each: language | form | answer. A third set are the forms that CLDR itself gives.
"""

import json
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path

import pytest
from babel.dates import format_date, format_time

from evaluation.date_words import LOCALES, clean_locale, table, written
from extractors.metadata.date_words import WORDS_FILE
from extractors.metadata.dates import find_date
from tests.samples import sample

FETCHED = datetime(2024, 11, 20, 12, 0, tzinfo=UTC)
FORMS = Path(__file__).with_name("date_forms")
LEAST_DEVELOPED, LEAST_UNSEEN, LEAST_OF_CLDR = 0.99, 0.90, 0.97


def rows(name):
    lines = (FORMS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def answered(name):
    for row in rows(name):
        language, form = row.split(" | ", 1)
        form, answer = form.rsplit(" | ", 1)
        yield language, form, (date if len(answer) == 10 else datetime).fromisoformat(answer)


def cldr_forms():
    """Yield a day of each month in the long forms of each language, alone and with a time."""
    for locale in (clean_locale(names[0]) for names in [*LOCALES.values()][:: sample(6, 1)]):
        for month in range(1, 13):
            moment = datetime(2023, month, 27 if month % 2 else 4, 16, 5)
            for width in ("full", "long", "medium"):
                day = format_date(moment, width, locale=locale)
                yield str(locale), day, moment.date()
                yield str(locale), f"{day}, {format_time(moment, 'HH:mm', locale=locale)}", moment


def is_exact(found, answer):
    aware = [isinstance(each, datetime) and each.tzinfo is not None for each in (found, answer)]
    return type(found) is type(answer) and aware[0] == aware[1] and found == answer


def is_part(found, answer):
    """Whether what was found is true, but less than the form says: nothing, the day alone, or no zone."""
    if found is None:
        return True
    if not isinstance(found, datetime):
        return found == (answer.date() if isinstance(answer, datetime) else answer)
    return found.tzinfo is None and isinstance(answer, datetime) and found == answer.replace(tzinfo=None)


@pytest.mark.parametrize(
    ("forms", "least"),
    [
        (partial(answered, "developed"), LEAST_DEVELOPED),
        (partial(answered, "unseen"), LEAST_UNSEEN),
        (cldr_forms, LEAST_OF_CLDR),
    ],
    ids=["developed", "unseen", "CLDR"],
)
def test_forms_are_read_exactly_and_none_is_read_wrongly(forms, least):
    forms = list(forms())
    found = [(form, language, find_date(form, FETCHED, language=language), answer) for language, form, answer in forms]
    lost = [each for each in found if not is_exact(*each[2:])]
    assert [each for each in lost if not is_part(*each[2:])] == []
    assert len(lost) <= (1 - least) * len(forms), lost


def test_there_are_400_forms_in_40_languages():
    forms = [*answered("developed"), *answered("unseen")]
    assert len({form for _, form, _ in forms}) >= 400
    assert len({language.partition("-")[0] for language, _, _ in forms}) >= 40


def test_no_date_is_invented():
    forms = [row.split(" | ", 1) for row in rows("none")]
    assert forms
    invented = [
        text for language, text in forms if find_date(text, FETCHED, language=language) or find_date(text, FETCHED)
    ]
    assert invented == []


def test_words_are_those_of_cldr():
    """Reading the locales takes most of the time: the short form reads those of some territories."""
    text = WORDS_FILE.read_text(encoding="utf-8")
    made, kept = table(sample(8, 1)), json.loads(text)
    styles = {key: kept["styles"][key] for key in made["styles"]}
    assert text == written(made | {"styles": sample(kept["styles"], made["styles"])})
    assert made["styles"] == styles
    assert len(styles) > 60
