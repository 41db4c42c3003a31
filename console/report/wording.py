"""The words of a report in one language: English as written, Chinese by the catalogue of the command line.

Only messages are translated, never a text of a page: the template gets the latter separately.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from console.locale.translator import Translator


class ReportWording:
    """The words of one report. `translator`: None for English."""

    def __init__(self, translator: "Translator | None" = None):
        self._translator = translator

    @property
    def language(self) -> str:
        """Return the tag of the language for the attribute `lang`."""
        return "en" if self._translator is None else "zh-Hans"

    def fill(self, message: str, *values: object) -> str:
        """Return a message with numbered placeholders (`{0} of {1}`), filled with unchanged values."""
        shown = [str(value) for value in values]
        if self._translator is None:
            return message.format(*shown)
        return self._translator.fill(message, shown)

    def text(self, text: str) -> str:
        """Return the translation of a text from another package, which includes its values."""
        if self._translator is None:
            return text
        return self._translator.translate(text) if " " in text else self._translator.word(text)

    def sentence(self, text: str) -> str:
        """Return the translation of a text from another package, as a sentence."""
        return self.text(text) + ("." if self._translator is None else "。")

    def word(self, text: str) -> str:
        """Return a single word of a table, a legend or a state."""
        return text if self._translator is None else self._translator.word(text)


def wording_of(language: str) -> ReportWording:
    """Return the words in a language: `zh`, else English."""
    from console.locale import translator_of

    return ReportWording(translator_of(language))


def wording_here() -> ReportWording:
    """Return the words in the language of this process' user."""
    from console.locale import is_chinese

    return wording_of("zh" if is_chinese() else "en")
