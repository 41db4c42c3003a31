"""Words of the system that pages show by the filter `term`, marked for translation."""

from console.web.texts import gettext_noop

OUTCOMES = (  # outcomes of runs
    gettext_noop("finished"),
    gettext_noop("stopped"),
    gettext_noop("unreachable"),
    gettext_noop("no browser"),
    gettext_noop("redis"),
    gettext_noop("killed"),
    gettext_noop("running"),
)
ROLES = (
    gettext_noop("schedule"),
    gettext_noop("crawl"),
    gettext_noop("extract"),
    gettext_noop("spider"),
    gettext_noop("delivery"),
)  # roles of processes
FATES = (  # fates of URLs without a row
    gettext_noop("judged"),
    gettext_noop("unwanted"),
    gettext_noop("not a page"),
    gettext_noop("dead link"),
    gettext_noop("failed"),
    gettext_noop("to be tried again"),
)
COMPARISONS = (  # results for a page in a back-test
    gettext_noop("same"),
    gettext_noop("changed"),
    gettext_noop("gained"),
    gettext_noop("lost"),
)
SOURCES = (gettext_noop("kept pages"), gettext_noop("pages off the template and recent pages"))  # of back-tests
FIELDS = (gettext_noop("title"), gettext_noop("published"), gettext_noop("author"), gettext_noop("text"))
STATES = (gettext_noop("waiting"), gettext_noop("leased"), gettext_noop("fetched"))
SCOPES = (gettext_noop("section"), gettext_noop("site"))
